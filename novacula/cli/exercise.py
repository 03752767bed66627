"""`novacula exercise`: a worksheet from the derivation of a learner, its solution apart from it, and marks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from novacula.cli.output import echo_json, say
from novacula.cli.reading import ReadingOptions, reads_tables
from novacula.cli.work import AsJson, Data, LearnerName, Setting, Target, derivation

MOST_ROWS, MOST_COLUMNS = 30, 10
"""Of a table that is printed on its worksheet."""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title></head><body>
{body}
</body></html>
"""
DOCUMENT = "\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\begin{{document}}\n{body}\\end{{document}}\n"


@reads_tables
def exercise(
    learner: LearnerName,
    data: Data,
    target: Target = None,
    hide: Annotated[
        Literal["results", "one", "all"],
        typer.Option(help="What is blank: results, one operand of each equation, or all of its arithmetic."),
    ] = "results",
    seed: Annotated[int, typer.Option(help="Other seeds ask other questions.")] = 0,
    digits: Annotated[int, typer.Option(help="Significant digits of an answer.")] = 3,
    row: Annotated[int | None, typer.Option(help="Ask about the prediction of this row, counted from 1.")] = None,
    setting: Setting = None,
    made: Annotated[
        bool, typer.Option("--made", help="Ask about another small table with the same columns and categories.")
    ] = False,
    answer: Annotated[
        list[str] | None, typer.Option(help="An answer as number=value, which is marked; it may be repeated.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="An .html, .md, .tex or .txt file; the solution goes beside it.")
    ] = None,
    json: AsJson = False,
    *,
    reading: ReadingOptions,
) -> None:
    """Write a worksheet that asks for numbers of a derivation, and its solution; or mark answers to it."""
    from novacula.cli.data import read_table
    from novacula.cli.fitting import fit_learner

    table = read_table(data, target, reading)
    if made:
        from novacula.datasets.made import made_table

        table = made_table(table.schema, seed)
    model = fit_learner(learner, table, setting or ())
    asked = derivation(model, table, row, None).exercise(hide, seed, digits=digits)
    if answer:
        marks = asked.check(_answers(answer))
        _print_marks(marks, json)
        return
    sheet = with_data(asked.sheet, table)
    if json:
        echo_json(_as_json(asked))
    elif out is None:
        typer.echo(sheet.to_text())
    if out is not None:
        _write(sheet, out)
        beside = out.with_name(f"{out.stem}.solution{out.suffix}")
        _write(asked.solution(), beside)
        say(f"The worksheet is in {out}, and its solution in {beside}.")


def _answers(pairs: list[str]) -> dict[str, str]:
    """Answers by the number of their question, as they were written."""
    from novacula.errors import ParameterError

    answers = {}
    for pair in pairs:
        number, equals, text = pair.partition("=")
        if not equals:
            raise ParameterError(f"{pair!r} answers no question: write --answer number=value")
        if number in answers:
            raise ParameterError(f"there are two answers to question {number}; give one of them")
        answers[number] = text
    return answers


def with_data(sheet: Any, table: Any) -> Any:
    """The worksheet with the table in front, if it is small."""
    from dataclasses import replace

    from novacula.learner.work import Step, WorkTable

    if len(table) > MOST_ROWS or len(table.layout.columns) > MOST_COLUMNS:
        return sheet
    columns = table.to_arrow().to_pydict()
    rows = tuple(
        tuple("" if cell is None else str(cell) for cell in row) for row in zip(*columns.values(), strict=True)
    )
    return replace(sheet, steps=(Step("The table", table=WorkTable(tuple(columns), rows)), *sheet.steps))


def _write(work: Any, path: Path) -> None:
    from html import escape

    from novacula.errors import ParameterError
    from novacula.writing import replace_file

    match path.suffix.lower():
        case ".html" | ".htm":
            text = PAGE.format(title=escape(work.title), body=work.to_html())
        case ".md":
            text = work.to_markdown()
        case ".tex":
            text = DOCUMENT.format(body=work.to_latex())
        case ".txt":
            text = work.to_text() + "\n"
        case other:
            raise ParameterError(f"a worksheet is written as .html, .md, .tex or .txt, not as {other or 'a folder'!r}")
    replace_file(path, text.encode())


def _print_marks(marks: Any, json: bool) -> None:
    if json:
        listed = [
            {"number": m.number, "verdict": m.verdict, "expected": m.expected or None, "slip": m.slip} for m in marks
        ]
        echo_json({"marks": listed, "score": marks.score, "questions": len(marks)})
    else:
        typer.echo(str(marks))


def _as_json(asked: Any) -> dict[str, Any]:
    questions = [
        {"number": i, "step": asked.work[q.step].title, "equation": str(asked.sheet[q.step].equations[q.place])}
        for i, q in enumerate(asked.questions, start=1)
    ]
    answers = [question.value for question in asked.questions]
    return {"title": asked.work.title, "digits": asked.digits, "questions": questions, "answers": answers}
