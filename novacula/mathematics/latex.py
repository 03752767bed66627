r"""Mathematics and words in LaTeX: amsmath and nothing else, and of characters only those that pdfLaTeX knows.

Every character that gets out is printable ASCII: Greek letters and signs become commands, letters with accents are put
together, and a character that is in none of the tables is written as its number, [U+4E2D], rather than let through.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar
from unicodedata import normalize

from novacula.mathematics.notation import ATOM, BIG, JOINED, POWER, PRODUCT, RELATED, Notation, Piece
from novacula.mathematics.symbols import ACCENTS, GREEK, SUBSCRIPTS, SUPERSCRIPTS, split_name
from novacula.table.names import printable

COMMANDS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedblright{}",
    "`": r"\textasciigrave{}",
    "\N{REPLACEMENT CHARACTER}": "?",
    # After the end of a row these would be taken for its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "\N{NO-BREAK SPACE}": "~",
    "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "…": r"\ldots{}", "•": r"\textbullet{}",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}",
    "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}", "¡": "!`", "¿": "?`", "§": r"\S{}", "¶": r"\P{}",
    "©": r"\copyright{}", "£": r"\pounds{}", "ʹ": "'",
} | {character: f"\\{character}" for character in "{}$&#%_"}  # fmt: skip
"""Characters of words."""
LETTER_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k",
}  # fmt: skip
SYMBOLS = {
    "×": r"\times", "·": r"\cdot", "−": "-", "±": r"\pm", "∓": r"\mp", "÷": r"\div", "√": r"\surd", "∞": r"\infty",
    "∂": r"\partial", "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "≤": r"\le", "≥": r"\ge", "≠": r"\ne",
    "≈": r"\approx", "∝": r"\propto", "≡": r"\equiv", "∈": r"\in", "∉": r"\notin", "⊂": r"\subset", "⊆": r"\subseteq",
    "∩": r"\cap", "∪": r"\cup", "∅": r"\emptyset", "∀": r"\forall", "∃": r"\exists", "¬": r"\neg", "∧": r"\wedge",
    "∨": r"\vee", "→": r"\to", "←": r"\gets", "↑": r"\uparrow", "↓": r"\downarrow", "⇒": r"\Rightarrow",
    "⇔": r"\Leftrightarrow", "↔": r"\leftrightarrow", "⊨": r"\models", "⊥": r"\perp", "∥": r"\parallel",
    "⟨": r"\langle", "⟩": r"\rangle", "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor", "‖": r"\Vert",
    "′": "'", "½": r"\tfrac{1}{2}", "¼": r"\tfrac{1}{4}", "¾": r"\tfrac{3}{4}", "°": r"^{\circ}", "✓": r"\surd",
    "∼": r"\sim", "≪": r"\ll", "≫": r"\gg", "µ": r"\mu", "ϕ": r"\phi", "ϵ": r"\epsilon",
    "ᵀ": "^{T}", "ʷ": "^{w}", "ᵐ": "^{m}", "ᵈ": "^{d}", "ᵗ": "^{t}", "ᐟ": "/",
}  # fmt: skip
"""Characters that are mathematics, in words and in formulas."""
SYMBOLS |= {letter: f"\\{name}" for letter, name in GREEK.items()}
SYMBOLS |= {high: f"^{{{plain}}}" for plain, high in SUPERSCRIPTS.items()}
SYMBOLS |= {low: f"_{{{SYMBOLS.get(plain, plain)}}}" for plain, low in SUBSCRIPTS.items()}
SYMBOLS["∴"] = r"\Rightarrow"  # amsmath alone has no three dots
FENCES = {
    "|": (r"\left\vert", r"\right\vert"),
    "‖": (r"\left\Vert", r"\right\Vert"),
    "⌈": (r"\left\lceil", r"\right\rceil"),
}
FENCES |= {"⌊": (r"\left\lfloor", r"\right\rfloor"), "⟨": (r"\left\langle", r"\right\rangle"), "{": (r"\{", r"\}")}
MARKED = re.compile(rf"(?P<letter>\w)(?P<accent>[{''.join(ACCENTS)}])|.", re.DOTALL)


def escape_latex(text: str) -> str:
    """Words that mean nothing but themselves in LaTeX."""
    escaped = MARKED.sub(_escaped, normalize("NFC", printable(text)))
    return re.sub("-(?=-)", "-{}", escaped)  # two hyphens would print as a dash


def _escaped(match: re.Match[str]) -> str:
    letter, accent = match["letter"], match["accent"]
    if accent and (letter in GREEK or (letter.isascii() and letter.isalnum())):
        return rf"$\{ACCENTS[accent]}{{{SYMBOLS.get(letter, letter)}}}$"
    return "".join(map(_character, match[0]))


def _character(character: str) -> str:
    if character in SYMBOLS:
        return f"${SYMBOLS[character]}$"
    if character in COMMANDS:
        return COMMANDS[character]
    if character in LETTER_ACCENTS:
        return rf"\{LETTER_ACCENTS[character]}{{}}"
    if character.isascii():
        return character
    parts = normalize("NFD", character)
    if len(parts) == 2 and parts[1] in LETTER_ACCENTS and parts[0].isascii():
        return rf"\{LETTER_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return f"{{[}}U+{ord(character):04X}{{]}}"


class LatexNotation(Notation):
    r"""LaTeX's mathematics with amsmath: \frac, \sqrt, sums with limits, matrices."""

    minus: ClassVar[str] = "-"
    between: ClassVar[str] = " - "
    times: ClassVar[str] = r" \times "
    dot: ClassVar[str] = r" \, "
    infinity: ClassVar[str] = r"\infty"
    dots: ClassVar[str] = "…"
    bar: ClassVar[str] = r" \mid "
    opening: ClassVar[str] = r"\bigl("
    closing: ClassVar[str] = r"\bigr)"
    functions: ClassVar[dict[str, str]] = {
        "log": r"\ln", "log2": r"\log_{2}", "exp": r"\exp", "min": r"\min", "max": r"\max", "tanh": r"\tanh",
        "cos": r"\cos", "sin": r"\sin", "det": r"\det", "lgamma": r"\ln\Gamma", "sign": r"\operatorname{sign}",
        "argmax": r"\operatorname{argmax}", "argmin": r"\operatorname{argmin}",
    }  # fmt: skip

    def scientific(self, mantissa: str, exponent: int) -> str:
        """Digits times a power of ten."""
        return rf"{mantissa} \times 10^{{{exponent}}}"

    def word(self, text: str) -> Piece:
        """A word, upright."""
        return Piece(r"\ldots" if text == "…" else rf"\text{{{escape_latex(text)}}}", ATOM)

    def symbol(self, name: str) -> Piece:
        """A name: letters in italics, words upright."""
        if name == "∞":
            return Piece(self.infinity, ATOM)
        head, accent, primes, index, iteration = split_name(name)
        text = _letters(head)
        if accent:
            text = rf"\{accent}{{{text}}}"
        if index:
            text += f"_{{{_index(index)}}}"
        if primes or iteration:
            text += f"^{{{chr(92) + 'prime ' if primes else ''}{f'({_letters(iteration)})' if iteration else ''}}}"
        return Piece(text, ATOM)

    def entry(self, base: Piece, indices: Sequence[Piece]) -> Piece:
        """One of several values."""
        # TeX takes the braces from around a single letter with an accent, and a second index would follow the first.
        end = "{}" if "_{" in base.text else ""
        return Piece(f"{{{base.text}{end}}}_{{{','.join(index.text for index in indices)}}}", ATOM)

    def group(self, text: str) -> str:
        """Round brackets that grow with what they hold."""
        return rf"\left({text}\right)"

    def enclosed(self, text: str, opening: str, closing: str) -> Piece:
        """Other brackets."""
        left, right = FENCES[opening]
        return Piece(f"{left} {text} {right}", ATOM)

    def fraction(self, over: Piece, under: Piece) -> Piece:
        """A fraction, whose bar does what brackets do."""
        return Piece(rf"\frac{{{over.text}}}{{{under.text}}}", PRODUCT)

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """A power; any exponent is raised."""
        return Piece(f"{{{self.placed(base, ATOM)}}}^{{{exponent.text}}}", POWER)

    def root(self, inner: Piece) -> Piece:
        """A square root."""
        return Piece(rf"\sqrt{{{inner.text}}}", ATOM)

    def exponential(self, exponent: Piece) -> Piece:
        """The base of natural logarithms to a power."""
        return Piece(rf"e^{{{exponent.text}}}", POWER)

    def function(self, name: str, arguments: Sequence[Piece]) -> Piece:
        """A function of its arguments."""
        command = self.functions.get(name, rf"\operatorname{{{name}}}")
        return Piece(command + self.group(", ".join(piece.text for piece in arguments)), ATOM)

    def logarithm(self, inner: Piece, base: Piece) -> Piece:
        """A logarithm to a base of one's own."""
        return Piece(rf"\log_{{{base.text}}}{self.group(inner.text)}", ATOM)

    def transpose(self, inner: Piece) -> Piece:
        """A matrix on its side."""
        return Piece(f"{{{self.placed(inner, ATOM)}}}^{{T}}", POWER)

    def inverse(self, inner: Piece) -> Piece:
        """The inverse of a matrix."""
        return Piece(f"{{{self.placed(inner, ATOM)}}}^{{-1}}", POWER)

    def choose(self, n: Piece, k: Piece) -> Piece:
        """A binomial coefficient."""
        return Piece(rf"\binom{{{n.text}}}{{{k.text}}}", ATOM)

    def big(self, operator: str, below: Piece, body: Piece) -> Piece:
        """Σ and the like with their limits."""
        sign = {"+": r"\sum", "*": r"\prod", "argmax": r"\operatorname*{argmax}", "argmin": r"\operatorname*{argmin}"}
        limit = sign.get(operator, f"\\{operator}")
        return Piece(rf"{limit}_{{{below.text}}} {self.placed(body, BIG)}", BIG)

    def labelled(self, inner: Piece, label: str) -> Piece:
        """A number with words of what it stands for."""
        return Piece(rf"\underbrace{{{inner.text}}}_{{\text{{{escape_latex(label)}}}}}", ATOM)

    def relation(self, sign: str, left: Piece, right: Piece) -> Piece:
        """Two sides and the sign between them."""
        return Piece(f"{left.text} {SYMBOLS.get(sign, sign)} {right.text}", RELATED)

    def joined(self, sign: str, pieces: Sequence[Piece]) -> Piece:
        """Several, with ∧ or ∨ between them."""
        return Piece(f" {SYMBOLS[sign]} ".join(self.joinable(pieces)), JOINED)

    def opposite(self, inner: Piece) -> Piece:
        """Not."""
        return Piece(r"\neg " + self.placed(inner, ATOM, leads=True), ATOM)

    def cases(self, branches: Sequence[tuple[Piece, Piece]], otherwise: Piece) -> Piece:
        """Values with their conditions."""
        rows = [rf"{value.text} & \text{{if }} {condition.text}" for value, condition in branches]
        rows.append(rf"{otherwise.text} & \text{{otherwise}}")
        return Piece(r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}", ATOM)

    def matrix(self, rows: Sequence[Sequence[Piece]]) -> Piece:
        """A matrix, or a vector as one row."""
        inner = r" \\ ".join(" & ".join(cell.text for cell in row) for row in rows)
        return Piece(rf"\begin{{pmatrix}}{inner}\end{{pmatrix}}", ATOM)

    def blank(self) -> Piece:
        """A gap to fill in."""
        return Piece(r"\underline{\qquad}", ATOM)


def _letters(word: str) -> str:
    """One or two letters in italics, a longer word upright."""
    if word and len(word) <= 2 and all(c in GREEK or (c.isascii() and c.isalnum()) for c in word):
        return "".join(f"\\{GREEK[c]} " if c in GREEK else c for c in word).strip()
    return rf"\text{{{escape_latex(word)}}}"


def _index(index: str) -> str:
    return ",".join(map(_letters, index.split("_"))) if len(index) > 2 else _letters(index)
