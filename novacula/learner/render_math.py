"""Numbers, names and expressions as they are written: in plain text, in HTML and in LaTeX.

One walk over the tree decides where parentheses stand; a `Notation` decides how a number, a name, a fraction
or a power looks. Parentheses are as few as precedence allows; a negative number after a sign has its own.

    >>> from novacula.learner.expression import parse
    >>> write(parse("a/b * c/d * (1 - d)**2"), TEXT, {"a": 5, "b": 14, "c": 3, "d": -5})
    '5/14 × 3 / (−5) × (1 − (−5))²'
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from novacula.learner.expression import Apply, Name, Node, Number

DIGITS = 6
SUM, PRODUCT, POWER, ATOM = range(4)
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
ALONE = re.compile(r"[^\s()×·|]+")  # what may be next to a slash without a space


class MathText(NamedTuple):
    """Something written, and how tightly it holds together."""

    text: str
    level: int


class Notation:
    """Plain text with Unicode symbols; what other notations write differently, they override."""

    plus, minus, times, dot, infinity = " + ", "−", " × ", " · ", "∞"
    functions: Mapping[str, str] = {"log": "ln", "log2": "log₂", "sqrt": "√"}

    def number(self, value: float) -> MathText:
        """A number at six significant digits; whole numbers keep all of theirs."""
        if math.isnan(value):
            return MathText("NaN", ATOM)
        sign = self.minus if value < 0 else ""
        if math.isinf(value):
            return MathText(sign + self.infinity, ATOM)
        size = abs(value)
        digits = str(int(size)) if size == int(size) and size < 1e15 else f"{size:.{DIGITS}g}"
        mantissa, _, exponent = digits.partition("e")
        if not exponent:
            return MathText(sign + mantissa, ATOM)
        return MathText(sign + mantissa + self.ten_to(int(exponent)), PRODUCT)

    def ten_to(self, exponent: int) -> str:
        """The factor of scientific notation."""
        return f"×10{str(exponent).translate(SUPERSCRIPTS)}"

    def name(self, name: str) -> str:
        """A name as a formula shows it."""
        return name

    def group(self, text: str) -> str:
        """Parentheses."""
        return f"({text})"

    def fraction(self, over: MathText, under: MathText) -> MathText:
        """A quotient."""
        left = placed(over, PRODUCT, self, leads=True)
        right = placed(under, POWER, self)
        tight = ALONE.fullmatch(left.split(" ")[-1]) and ALONE.fullmatch(right)
        return MathText(f"{left}/{right}" if tight else f"{left} / {right}", PRODUCT)

    def power(self, base: MathText, exponent: MathText) -> MathText:
        """A power; small whole exponents are raised."""
        left = placed(base, ATOM, self)
        if re.fullmatch("−?[0-9]{1,3}", exponent.text):
            return MathText(left + exponent.text.replace("−", "-").translate(SUPERSCRIPTS), POWER)
        return MathText(f"{left}^{placed(exponent, ATOM, self)}", POWER)

    def call(self, function: str, arguments: Sequence[str]) -> MathText:
        """A function of its arguments."""
        inner = ", ".join(arguments)
        if function == "abs":
            return MathText(f"|{inner}|", ATOM)
        return MathText(self.functions.get(function, function) + self.group(inner), ATOM)


class HtmlNotation(Notation):
    """HTML with <sub> and <sup>; everything else is escaped text."""

    functions: Mapping[str, str] = {"log": "ln", "log2": "log<sub>2</sub>", "sqrt": "√"}

    def ten_to(self, exponent: int) -> str:
        """The factor of scientific notation."""
        return f"×10<sup>{str(exponent).replace('-', self.minus)}</sup>"

    def name(self, name: str) -> str:
        """A name in italics, what follows its first underscore as a subscript."""
        head, _, index = name.partition("_")
        if not head or not index:
            return f"<i>{escape(name)}</i>"
        return f"<i>{escape(head)}</i><sub>{escape(index)}</sub>"

    def power(self, base: MathText, exponent: MathText) -> MathText:
        """A power; any exponent is raised."""
        return MathText(f"{placed(base, ATOM, self)}<sup>{exponent.text}</sup>", POWER)


GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "ς": "varsigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi",
    "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi",
    "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip


class LatexNotation(Notation):
    r"""LaTeX's mathematics with amsmath: \frac, \sqrt, subscripts and superscripts."""

    minus, times, dot, infinity = "-", r" \times ", r" \cdot ", r"\infty"
    functions: Mapping[str, str] = {
        "log": r"\ln",
        "log2": r"\log_{2}",
        "exp": r"\exp",
        "min": r"\min",
        "max": r"\max",
    }

    def ten_to(self, exponent: int) -> str:
        """The factor of scientific notation."""
        return rf" \times 10^{{{exponent}}}"

    def name(self, name: str) -> str:
        """A name, what follows its first underscore as a subscript; words are upright."""
        head, _, index = name.partition("_")
        return f"{_latex_word(head)}_{{{_latex_word(index)}}}" if head and index else _latex_word(name)

    def group(self, text: str) -> str:
        """Parentheses that grow with what they hold."""
        return rf"\left({text}\right)"

    def fraction(self, over: MathText, under: MathText) -> MathText:
        """A fraction, whose bar does what parentheses do."""
        return MathText(rf"\frac{{{over.text}}}{{{under.text}}}", PRODUCT)

    def power(self, base: MathText, exponent: MathText) -> MathText:
        """A power; any exponent is raised."""
        return MathText(f"{placed(base, ATOM, self)}^{{{exponent.text}}}", POWER)

    def call(self, function: str, arguments: Sequence[str]) -> MathText:
        """A function of its arguments."""
        inner = ", ".join(arguments)
        if function == "sqrt":
            return MathText(rf"\sqrt{{{inner}}}", ATOM)
        if function == "abs":
            return MathText(rf"\left|{inner}\right|", ATOM)
        return MathText(self.functions[function] + self.group(inner), ATOM)


def _latex_word(word: str) -> str:
    if len(word) <= 2 and all(letter in GREEK or (letter.isascii() and letter.isalnum()) for letter in word):
        return "".join(f"\\{GREEK[letter]} " if letter in GREEK else letter for letter in word).strip()
    parts = (f"$\\{GREEK[c]}$" if c in GREEK else r"\_" if c == "_" else c for c in word)
    return rf"\text{{{''.join(parts)}}}"


TEXT, HTML, LATEX = Notation(), HtmlNotation(), LatexNotation()


def write(node: Node, notation: Notation, values: Mapping[str, float] | None = None) -> str:
    """An expression in a notation: with its names, or with their values put in."""
    return piece(node, notation, values).text


def piece(node: Node, notation: Notation, values: Mapping[str, float] | None = None) -> MathText:
    """Write an expression, and say how tightly it holds together."""
    match node:
        case Number(value):
            return notation.number(value)
        case Name(name):
            return MathText(notation.name(name), ATOM) if values is None else notation.number(values[name])
        case Apply(function, arguments):
            times = notation.dot if values is None else notation.times
            return joined(function, [piece(argument, notation, values) for argument in arguments], notation, times)


def joined(function: str, parts: Sequence[MathText], notation: Notation, times: str) -> MathText:
    """Write an operation on parts that are already written."""
    first, *others = parts
    match function:
        case "+":
            return MathText(notation.plus.join(terms(parts, SUM, notation)), SUM)
        case "*":
            return MathText(times.join(terms(parts, PRODUCT, notation)), PRODUCT)
        case "-":
            right = placed(others[0], PRODUCT, notation)
            return MathText(f"{placed(first, SUM, notation, leads=True)} {notation.minus} {right}", SUM)
        case "/":
            return notation.fraction(first, others[0])
        case "**":
            return notation.power(first, others[0])
        case "neg":
            return MathText(notation.minus + placed(first, PRODUCT, notation), PRODUCT)
    return notation.call(function, [part.text for part in parts])


def terms(parts: Sequence[MathText], level: int, notation: Notation) -> list[str]:
    """The terms of a sum, or the factors of a product, as they stand between its signs."""
    return [placed(part, level, notation, leads=i == 0) for i, part in enumerate(parts)]


def placed(part: MathText, level: int, notation: Notation, leads: bool = False) -> str:
    """Parentheses around a part that is looser than its place asks, or whose minus would follow a sign."""
    loose = part.level < level or (not leads and part.text.startswith(notation.minus))
    return notation.group(part.text) if loose else part.text
