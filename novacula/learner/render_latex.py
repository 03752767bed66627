r"""A work as a LaTeX fragment: no preamble, and of packages amsmath only.

Everything that is not arithmetic is text, with every character that LaTeX reads as a command made harmless. Greek
letters and the usual signs become mathematics; letters of other scripts are kept, and need XeLaTeX or
LuaLaTeX and a font that has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from novacula.learner.expression import Apply, Node
from novacula.learner.render import number_text, numeric_columns, sides
from novacula.learner.render_html import INDEXED
from novacula.learner.render_math import GREEK, LATEX, PRODUCT, SUM, Notation, piece, terms, write
from novacula.table.schema import printable

if TYPE_CHECKING:
    from novacula.learner.work import Step, Work, WorkTable

PER_LINE = 8  # terms of a long sum or product on one line

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
} | {character: f"\\{character}" for character in "{}$&#%_"}

SYMBOLS = {
    "×": r"\times", "·": r"\cdot", "−": "-", "±": r"\pm", "√": r"\surd", "∞": r"\infty", "∂": r"\partial",
    "∇": r"\nabla", "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "≤": r"\le", "≥": r"\ge", "≠": r"\ne",
    "≈": r"\approx", "∝": r"\propto", "∈": r"\in", "∉": r"\notin", "⊂": r"\subset", "∩": r"\cap",
    "∪": r"\cup", "∅": r"\emptyset", "∀": r"\forall", "∃": r"\exists", "¬": r"\neg", "∧": r"\wedge",
    "∨": r"\vee", "→": r"\to", "←": r"\gets", "⇒": r"\Rightarrow", "↔": r"\leftrightarrow",
    "⟨": r"\langle", "⟩": r"\rangle", "‖": r"\|", "′": "'", "½": r"\tfrac{1}{2}", "¼": r"\tfrac{1}{4}",
    "°": r"^{\circ}", "ℓ": r"\ell",
    "ᵀ": "^{T}", "ⁿ": "^{n}", "⁺": "^{+}", "⁻": "^{-}", "₊": "_{+}", "₋": "_{-}",
    "ᵢ": "_{i}", "ⱼ": "_{j}", "ₖ": "_{k}", "ₘ": "_{m}", "ₙ": "_{n}", "ₜ": "_{t}", "ₓ": "_{x}",
}  # fmt: skip
SYMBOLS |= {letter: f"\\{name}" for letter, name in GREEK.items()}
SYMBOLS |= {digit: f"^{{{i}}}" for i, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
SYMBOLS |= {digit: f"_{{{i}}}" for i, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")}
ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot"}

TOKEN = re.compile(rf"(?P<letter>\w)(?P<accent>[{''.join(ACCENTS)}])|.", re.DOTALL)


def escape_latex(text: str) -> str:
    """Text that means nothing but itself in LaTeX."""
    escaped = TOKEN.sub(_token, printable(text))
    return re.sub("-(?=-)", "-{}", escaped)  # two hyphens would print as a dash


def _token(match: re.Match[str]) -> str:
    if match["accent"]:
        letter = SYMBOLS.get(match["letter"], match["letter"])
        return rf"$\{ACCENTS[match['accent']]}{{{letter}}}$"
    character = match[0]
    if character in SYMBOLS:
        return f"${SYMBOLS[character]}$"
    return COMMANDS.get(character, character)


def formula_to_latex(formula: str) -> str:
    """A formula as text, its indexed letters as mathematics."""
    parts, start = [], 0
    for found in INDEXED.finditer(formula):
        parts.append(escape_latex(formula[start : found.start()]))
        parts.append(f"${LATEX.name(found[0])}$")
        start = found.end()
    return "".join([*parts, escape_latex(formula[start:])])


def work_to_latex(work: Work) -> str:
    """Write a work as LaTeX."""
    parts = ["% A fragment; it needs \\usepackage{amsmath}.", rf"\subsection*{{{escape_latex(work.title)}}}"]
    for step in work:
        parts += ["", *step_parts(step)]
    for note in work.notes:
        parts += ["", escape_latex(note)]
    return "\n".join(parts) + "\n"


def step_parts(step: Step) -> Iterator[str]:
    """The lines of one step."""
    yield rf"\paragraph{{{escape_latex(step.title)}}}"
    if step.formula:
        yield formula_to_latex(step.formula)
    equal = sides(step, LATEX, symbols=True, written=broken)
    if equal:
        yield r"\begin{align*}"
        yield ("&= " if step.tree is None else "&") + " \\\\\n&\\quad = ".join(equal)
        yield r"\end{align*}"
    for name, label in step.labels.items():
        yield f"${LATEX.name(name)} = {LATEX.number(step.values[name]).text}$: {escape_latex(label)}\n"
    if step.table is not None:
        yield from table_parts(step.table)
    if step.figure is not None:
        yield rf"\emph{{Figure: {escape_latex(step.figure.alt)}}}" + "\n"
    if step.note:
        yield escape_latex(step.note)


def broken(node: Node, notation: Notation, values: Mapping[str, float] | None = None) -> str:
    """An expression with a new line after every few terms, which LaTeX does not do on its own."""
    if not isinstance(node, Apply) or node.function not in ("+", "*") or len(node.arguments) <= PER_LINE:
        return write(node, notation, values)
    times = notation.dot if values is None else notation.times
    level, sign = (SUM, notation.plus) if node.function == "+" else (PRODUCT, times)
    parts = terms([piece(argument, notation, values) for argument in node.arguments], level, notation)
    lines = [sign.join(parts[i : i + PER_LINE]) for i in range(0, len(parts), PER_LINE)]
    return f" \\\\\n&\\qquad{sign}".join(lines)


def table_parts(table: WorkTable) -> Iterator[str]:
    """A table with its caption above it."""
    if table.caption:
        yield f"\n{escape_latex(table.caption)}"
    yield ("\n" + r"\begin{tabular}{" + "".join("r" if flush else "l" for flush in numeric_columns(table)) + "}")
    yield " & ".join(escape_latex(name) for name in table.header) + r" \\ \hline"
    for row in table.rows:
        yield " & ".join(_cell(cell) for cell in row) + r" \\"
    yield r"\end{tabular}" + "\n"


def _cell(cell: str | int | float) -> str:
    number = number_text(cell, LATEX)
    return f"${number}$" if number is not None else escape_latex(str(cell))
