"""Mathematics as MathML Core, which browsers lay out by themselves: no script, nothing fetched, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import ClassVar

from novacula.mathematics.notation import ATOM, BIG, JOINED, POWER, PRODUCT, RELATED, Notation, Piece
from novacula.mathematics.symbols import MARKS, split_name
from novacula.table.names import printable


def operator(sign: str) -> str:
    """A sign as an element."""
    return f"<mo>{escape(sign)}</mo>"


def row(*parts: str) -> str:
    """Several elements as one."""
    return f"<mrow>{''.join(parts)}</mrow>"


OPENING = '<mo form="prefix" lspace="0em" rspace="0em">(</mo>'
CLOSING = '<mo form="postfix" lspace="0em" rspace="0em">)</mo>'
TALL = ("<mfrac", "<munder", "<mtable", "<msqrt")
"""Elements that brackets grow with."""
THEREFORE = '<mo lspace="0em" rspace="0.4em">∴</mo>'


class MathmlNotation(Notation):
    """Elements of MathML Core."""

    plus: ClassVar[str] = operator("+")
    minus: ClassVar[str] = operator("−")
    between: ClassVar[str] = operator("−")
    times: ClassVar[str] = operator("×")
    dot: ClassVar[str] = '<mo lspace="0.17em" rspace="0em">\u2062</mo>'  # invisible times
    comma: ClassVar[str] = operator(",")
    bar: ClassVar[str] = '<mo lspace="0.28em" rspace="0.28em" stretchy="false">|</mo>'
    opening: ClassVar[str] = OPENING.replace("<mo", '<mo stretchy="false"')
    closing: ClassVar[str] = CLOSING.replace("<mo", '<mo stretchy="false"')
    slash: ClassVar[str] = operator("/")
    infinity: ClassVar[str] = "<mi>∞</mi>"
    functions: ClassVar[dict[str, str]] = {
        "log": "<mi>ln</mi>",
        "log2": "<msub><mi>log</mi><mn>2</mn></msub>",
        "lgamma": '<mi>ln</mi><mspace width="0.17em"></mspace><mi mathvariant="normal">Γ</mi>',
    }

    def signed(self, text: str, is_negative: bool) -> str:
        """A number with its sign."""
        return row('<mo form="prefix">−</mo>', text) if is_negative else text

    def digits_of(self, digits: str) -> str:
        """The digits of a number without a sign."""
        return f"<mn>{digits}</mn>"

    def scientific(self, mantissa: str, exponent: int) -> str:
        """Digits times a power of ten."""
        high = self.signed(f"<mn>{abs(exponent)}</mn>", exponent < 0)
        return row(f"<mn>{mantissa}</mn>", self.times, f"<msup><mn>10</mn>{high}</msup>")

    def word(self, text: str) -> Piece:
        """A word, upright: a name, since text counts as space, and would draw the room around "=" to its outside."""
        return Piece(f'<mi mathvariant="normal">{escape(printable(text))}</mi>', ATOM)

    def symbol(self, name: str) -> Piece:
        """A name: single letters in italics, words upright, as browsers do."""
        head, accent, primes, index, iteration = split_name(name)
        text = f"<mi>{escape(head)}</mi>"
        if accent:
            # As an accent, the bar of some fonts lies on the letter.
            place = "" if MARKS[accent] == "¯" else ' accent="true"'
            text = f'<mover{place}>{text}<mo stretchy="false">{MARKS[accent]}</mo></mover>'
        low = "".join(
            f"<mi>{escape(part)}</mi>" if not part.isdecimal() else f"<mn>{part}</mn>" for part in index.split("_")
        )
        high = operator("′" * primes) if primes else ""
        high += row(operator("("), f"<mn>{escape(iteration)}</mn>", operator(")")) if iteration else ""
        return Piece(_scripts(text, row(low) if index else "", row(high) if high else ""), ATOM)

    def entry(self, base: Piece, indices: Sequence[Piece]) -> Piece:
        """One of several values."""
        return Piece(_scripts(base.text, row(self.comma.join(index.text for index in indices)), ""), ATOM)

    def group(self, text: str) -> str:
        """Round brackets that grow with what they hold."""
        is_tall = any(tag in text for tag in TALL)
        return row(OPENING, row(text), CLOSING) if is_tall else row(self.opening, row(text), self.closing)

    def enclosed(self, text: str, opening: str, closing: str) -> Piece:
        """Other brackets."""
        return Piece(
            row(
                f'<mo form="prefix" lspace="0em" rspace="0em">{opening}</mo>',
                row(text),
                f'<mo form="postfix" lspace="0em" rspace="0em">{closing}</mo>',
            ),
            ATOM,
        )

    def fraction(self, over: Piece, under: Piece) -> Piece:
        """A fraction, whose bar does what brackets do."""
        return Piece(f"<mfrac>{row(over.text)}{row(under.text)}</mfrac>", PRODUCT)

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """A power; any exponent is raised."""
        return Piece(f"<msup>{row(self.placed(base, ATOM))}{row(exponent.text)}</msup>", POWER)

    def root(self, inner: Piece) -> Piece:
        """A square root."""
        return Piece(f"<msqrt>{inner.text}</msqrt>", ATOM)

    def exponential(self, exponent: Piece) -> Piece:
        """The base of natural logarithms to a power."""
        return Piece(f"<msup><mi>e</mi>{row(exponent.text)}</msup>", POWER)

    def function(self, name: str, arguments: Sequence[Piece]) -> Piece:
        """A function of its arguments."""
        head = self.functions.get(name, f"<mi>{escape(name)}</mi>")
        return Piece(row(head, self.group(self.comma.join(piece.text for piece in arguments))), ATOM)

    def logarithm(self, inner: Piece, base: Piece) -> Piece:
        """A logarithm to a base of one's own."""
        return Piece(row(f"<msub><mi>log</mi>{row(base.text)}</msub>", self.group(inner.text)), ATOM)

    def transpose(self, inner: Piece) -> Piece:
        """A matrix on its side."""
        return Piece(f'<msup>{row(self.placed(inner, ATOM))}<mi mathvariant="normal">T</mi></msup>', POWER)

    def inverse(self, inner: Piece) -> Piece:
        """The inverse of a matrix."""
        return Piece(f"<msup>{row(self.placed(inner, ATOM))}{row(self.minus, '<mn>1</mn>')}</msup>", POWER)

    def choose(self, n: Piece, k: Piece) -> Piece:
        """A binomial coefficient."""
        return Piece(self.group(f'<mfrac linethickness="0">{row(n.text)}{row(k.text)}</mfrac>'), ATOM)

    def factorial(self, inner: Piece) -> Piece:
        """The product of the whole numbers up to one."""
        sign = '<mo form="postfix" lspace="0em" rspace="0em">!</mo>'
        return Piece(row(self.placed(inner, ATOM), sign), POWER)

    def big(self, operator_: str, below: Piece, body: Piece) -> Piece:
        """Σ and the like with their limits."""
        sign = {"+": "<mo>∑</mo>", "*": "<mo>∏</mo>"}.get(operator_, f"<mi>{operator_}</mi>")
        gap = "" if operator_ in ("+", "*") else '<mspace width="0.17em"></mspace>'
        return Piece(row(f"<munder>{sign}{row(below.text)}</munder>", gap, self.placed(body, BIG)), BIG)

    def labelled(self, inner: Piece, label: str) -> Piece:
        """A number with words of what it stands for."""
        words = f"<mtext>{escape(printable(label))}</mtext>"
        return Piece(f"<munder><munder>{row(inner.text)}<mo>⏟</mo></munder>{words}</munder>", ATOM)

    def relation(self, sign: str, left: Piece, right: Piece) -> Piece:
        """Two sides and the sign between them."""
        return Piece(row(left.text, operator(sign), right.text), RELATED)

    def joined(self, sign: str, pieces: Sequence[Piece]) -> Piece:
        """Several, with ∧ or ∨ between them."""
        return Piece(row(operator(sign).join(self.joinable(pieces))), JOINED)

    def opposite(self, inner: Piece) -> Piece:
        """Not."""
        return Piece(row(operator("¬"), self.placed(inner, ATOM, leads=True)), ATOM)

    def cases(self, branches: Sequence[tuple[Piece, Piece]], otherwise: Piece) -> Piece:
        """Values with their conditions."""
        rows = [(value.text, f"<mtext>if\u00a0</mtext>{condition.text}") for value, condition in branches]
        rows.append((otherwise.text, "<mtext>otherwise</mtext>"))
        cells = "".join(f"<mtr><mtd>{value}</mtd><mtd>{condition}</mtd></mtr>" for value, condition in rows)
        return Piece(row(operator("{"), f'<mtable class="nv-cases">{cells}</mtable>'), ATOM)

    def matrix(self, rows: Sequence[Sequence[Piece]]) -> Piece:
        """A matrix, or a vector as one row."""
        cells = "".join(f"<mtr>{''.join(f'<mtd>{cell.text}</mtd>' for cell in line)}</mtr>" for line in rows)
        return Piece(row(OPENING, f"<mtable>{cells}</mtable>", CLOSING), ATOM)

    def blank(self) -> Piece:
        """A gap to fill in."""
        return Piece('<mtext class="nv-blank">\u2003\u2003\u2003</mtext>', ATOM)


def _scripts(base: str, low: str, high: str) -> str:
    if low and high:
        return f"<msubsup>{base}{low}{high}</msubsup>"
    return f"<msub>{base}{low}</msub>" if low else f"<msup>{base}{high}</msup>" if high else base
