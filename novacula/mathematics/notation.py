"""How the parts of mathematics look: here in plain text with Unicode symbols; LaTeX and MathML derive from it.

A notation is given parts that are already written, each with how tightly it holds together, and puts them into one.
What holds in all notations stands in `Notation`: numbers, where brackets are needed, sums and products.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple
from unicodedata import normalize

from novacula.mathematics.symbols import lowered, raised, split_name
from novacula.table.names import printable

DIGITS = 6
RELATED, SUM, BIG, PRODUCT, POWER, ATOM = range(6)
"""How tightly things hold together; Σ takes in all the product behind it."""
ALONE = re.compile(r"[^\s()×·|]+")  # what may be next to a slash without a space


class Piece(NamedTuple):
    """Something written, and how tightly it holds together."""

    text: str
    level: int
    is_negative: bool = False  # it begins with a minus


class Notation:
    """What every notation shares; plain text is `TextNotation`."""

    plus: ClassVar[str] = " + "
    minus: ClassVar[str] = "−"
    between: ClassVar[str] = " − "
    times: ClassVar[str] = " × "
    dot: ClassVar[str] = " · "
    infinity: ClassVar[str] = "∞"
    comma: ClassVar[str] = ", "
    dots: ClassVar[str] = "…"
    functions: ClassVar[Mapping[str, str]] = {"log": "ln", "log2": "log₂", "lgamma": "ln Γ"}

    def __init__(self, digits: int = DIGITS) -> None:
        self.digits = digits

    # --- leaves

    def number(self, value: float) -> Piece:
        """A number at so many significant digits; whole numbers keep all of theirs."""
        if math.isnan(value):
            return Piece("NaN", ATOM)
        size, is_negative = abs(value), value < 0.0
        if math.isinf(value):
            return Piece(self.signed(self.infinity, is_negative), ATOM, is_negative)
        digits = str(int(size)) if size == int(size) and size < 1e15 else f"{size:.{self.digits}g}"
        mantissa, _, exponent = digits.partition("e")
        if not exponent:
            return Piece(self.signed(self.digits_of(mantissa), is_negative), ATOM, is_negative)
        return Piece(self.signed(self.scientific(mantissa, int(exponent)), is_negative), PRODUCT, is_negative)

    def signed(self, text: str, is_negative: bool) -> str:
        """A number with its sign."""
        return self.minus + text if is_negative else text

    def digits_of(self, digits: str) -> str:
        """The digits of a number without a sign."""
        return digits

    def scientific(self, mantissa: str, exponent: int) -> str:
        """Digits times a power of ten."""
        return f"{mantissa}×10{raised(str(exponent))}"

    def word(self, text: str) -> Piece:
        """A word as it stands."""
        return Piece(printable(text), ATOM)

    def symbol(self, name: str) -> Piece:
        """A name."""
        head, accent, primes, index, iteration = split_name(name)
        mark = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307"}.get(accent, "")
        text = normalize("NFC", head + mark) + "′" * primes
        if index:
            text += lowered(index) or f"_{index}"
        if iteration:
            text += raised(f"({iteration})") or f"^({iteration})"
        return Piece(text, ATOM)

    def entry(self, base: Piece, indices: Sequence[Piece]) -> Piece:
        """One of several values."""
        apart = len(indices) == 1 or all(len(index.text) == 1 for index in indices)  # r[1, 12] is not r[11, 2]
        low = lowered("".join(index.text for index in indices)) if apart else None
        if low is None:
            inner = ", ".join(index.text for index in indices)
            low = f"_{inner}" if inner.isalnum() else f"[{inner}]"
        return Piece(base.text + low, ATOM)

    # --- brackets

    def group(self, text: str) -> str:
        """Round brackets."""
        return f"({text})"

    def enclosed(self, text: str, opening: str, closing: str) -> Piece:
        """Other brackets: bars, ⟨ ⟩, braces."""
        return Piece(f"{opening}{text}{closing}", ATOM)

    def quantity(self, head: str, arguments: Sequence[Piece], given: Sequence[Piece]) -> Piece:
        """P(x | t)."""
        inner = self.comma.join(piece.text for piece in arguments)
        if given:
            inner += f"{self.bar}{self.comma.join(piece.text for piece in given)}"
        return Piece(self.symbol(head).text + self.group(inner), ATOM)

    bar: ClassVar[str] = " | "
    opening: ClassVar[str] = "("
    closing: ClassVar[str] = ")"
    slash: ClassVar[str] = " / "

    # --- operations

    def fraction(self, over: Piece, under: Piece) -> Piece:
        """A quotient."""
        left, right = self.placed(over, PRODUCT, leads=True), self.placed(under, POWER)
        tight = ALONE.fullmatch(left.split(" ")[-1]) and ALONE.fullmatch(right)
        return Piece(f"{left}/{right}" if tight else f"{left} / {right}", PRODUCT, over.is_negative)

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """A power; a short exponent is raised."""
        left, high = self.placed(base, ATOM), raised(exponent.text)
        return Piece(left + high if high else f"{left}^{self.placed(exponent, ATOM)}", POWER)

    def root(self, inner: Piece) -> Piece:
        """A square root."""
        return Piece(f"√{self.group(inner.text)}", ATOM)

    def exponential(self, exponent: Piece) -> Piece:
        """The base of natural logarithms to a power."""
        return self.function("exp", [exponent])

    def function(self, name: str, arguments: Sequence[Piece]) -> Piece:
        """A function of its arguments."""
        return Piece(
            self.functions.get(name, name) + self.group(self.comma.join(piece.text for piece in arguments)), ATOM
        )

    def logarithm(self, inner: Piece, base: Piece) -> Piece:
        """A logarithm to a base of one's own."""
        return Piece(f"log{lowered(base.text) or f'_{base.text}'}{self.group(inner.text)}", ATOM)

    def transpose(self, inner: Piece) -> Piece:
        """A matrix on its side."""
        return Piece(self.placed(inner, ATOM) + "ᵀ", POWER)

    def inverse(self, inner: Piece) -> Piece:
        """The inverse of a matrix."""
        return Piece(self.placed(inner, ATOM) + "⁻¹", POWER)

    def choose(self, n: Piece, k: Piece) -> Piece:
        """A binomial coefficient."""
        return Piece(f"C({n.text}, {k.text})", ATOM)

    def negative(self, inner: Piece) -> Piece:
        """A minus before something."""
        return Piece(self.minus + self.placed(inner, BIG), PRODUCT, True)

    def difference(self, left: Piece, right: Piece) -> Piece:
        """One less another."""
        text = self.placed(left, SUM, leads=True) + self.between + self.placed(right, BIG)
        return Piece(text, SUM, left.is_negative)

    def total(self, terms: Sequence[Piece]) -> Piece:
        """A sum of terms."""
        return Piece(self.plus.join(self.terms(terms, SUM)), SUM, terms[0].is_negative)

    def multiplied(self, factors: Sequence[Piece], sign: str) -> Piece:
        """A product of factors."""
        return Piece(sign.join(self.terms(factors, PRODUCT)), PRODUCT, factors[0].is_negative)

    def terms(self, pieces: Sequence[Piece], level: int) -> list[str]:
        """The terms of a sum, or the factors of a product, as they stand between its signs."""
        last = min(level, BIG)  # only a Σ at the end of a product needs no brackets
        levels = [*[level] * (len(pieces) - 1), last]
        return [self.placed(piece, at, leads=i == 0) for i, (piece, at) in enumerate(zip(pieces, levels, strict=True))]

    def placed(self, piece: Piece, level: int, leads: bool = False) -> str:
        """Brackets around a part that is looser than its place asks, or whose minus would follow a sign."""
        return self.group(piece.text) if piece.level < level or (piece.is_negative and not leads) else piece.text

    # --- Σ and the like

    def big(self, operator: str, below: Piece, body: Piece) -> Piece:
        """Σ, Π, min, max, argmin or argmax of a body; what it goes over stands below."""
        sign = {"+": "Σ", "*": "Π"}.get(operator, operator)
        low = lowered(below.text) or f"[{below.text}]"
        inner = self.placed(body, PRODUCT) if operator in ("+", "*") else self.placed(body, PRODUCT, leads=True)
        return Piece(f"{sign}{low} {inner}", BIG)

    def labelled(self, inner: Piece, label: str) -> Piece:
        """A number with words of what it stands for."""
        return Piece(f"[{label}: {inner.text}]", ATOM)

    # --- the rest

    def relation(self, sign: str, left: Piece, right: Piece) -> Piece:
        """Two sides and the sign between them."""
        return Piece(f"{left.text} {sign} {right.text}", RELATED)

    def joined(self, sign: str, pieces: Sequence[Piece]) -> Piece:
        """Several, with ∧ or ∨ between them."""
        return Piece(f" {sign} ".join(self.placed(piece, RELATED, leads=True) for piece in pieces), RELATED)

    def opposite(self, inner: Piece) -> Piece:
        """Not."""
        return Piece("¬" + self.placed(inner, ATOM, leads=True), ATOM)

    def cases(self, branches: Sequence[tuple[Piece, Piece]], otherwise: Piece) -> Piece:
        """Values with their conditions."""
        inner = "; ".join(f"{value.text} if {condition.text}" for value, condition in branches)
        return Piece(f"{{{inner}; {otherwise.text} otherwise}}", ATOM)

    def matrix(self, rows: Sequence[Sequence[Piece]]) -> Piece:
        """A matrix, or a vector as one row."""
        return Piece("[" + "; ".join(" ".join(cell.text for cell in row) for row in rows) + "]", ATOM)

    def blank(self) -> Piece:
        """A gap to fill in."""
        return Piece("____", ATOM)


class TextNotation(Notation):
    """Plain text with Unicode symbols."""
