"""The page as a document: whole, self-contained, in order, and deaf to what names say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import novacula as nv
from novacula.errors import DataError, InputTypeError
from novacula.report import render, write_report
from novacula.report.exploration import SECTIONS as EXPLORATION
from novacula.report.study import LEFT_OUT, SECTIONS
from novacula.study import Study
from novacula.study.finding import Finding
from novacula.study.unlabelled import explore

from .conftest import NASTY_TARGET, nasty_table
from .outline import Outline

MATHEMATICS = {"mover", "munder", "mtable", "mtr", "mtd", "msubsup", "msup", "msub", "msqrt", "mtext", "mfrac"}
"""Elements that equations of another learner may have."""
STUDIES = ("nasty", "iris", "diabetes", "blind")


@pytest.fixture(params=STUDIES)
def page(request: pytest.FixtureRequest, page_of: Callable[[str], str]) -> str:
    return page_of(request.param)


def test_a_page_is_a_tree_whose_links_lead_somewhere(page: str) -> None:
    found = Outline(page)
    ids = found.values("id")
    assert len(set(ids)) == len(ids)
    targets = [value for name in ("href", "xlink:href") for value in found.values(name)]
    assert {target[1:] for target in targets if target.startswith("#")} <= set(ids)
    assert {value.removeprefix("url(#").removesuffix(")") for value in found.values("clip-path")} <= set(ids)
    assert set(found.values("aria-labelledby")) <= set(ids)


def test_a_page_needs_nothing_and_runs_nothing(page: str) -> None:
    found = Outline(page)
    assert not found.tags & {"script", "iframe", "object", "embed", "img", "form", "base"}
    assert not [name for _, name, _ in found.attributes if name.startswith("on")]
    links = [value for name in ("href", "xlink:href", "src") for value in found.values(name)]
    assert all(link.startswith(("#", "data:")) for link in links)
    assert "url(" not in page.replace("url(#", "")
    assert "@import" not in page
    policy = [value for tag, name, value in found.attributes if (tag, name) == ("meta", "content")]
    assert any(value.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:") for value in policy)


def test_headings_stand_in_order_and_every_section_was_made(page: str) -> None:
    found = Outline(page)
    assert found.headings[0] == 1
    assert found.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(found.headings, found.headings[1:], strict=False))
    left_out = LEFT_OUT["regression"] if "mean absolute error" in found.text else ()
    assert {name for name, _, _ in SECTIONS} - {*left_out} <= set(found.values("id"))
    assert "could not be made" not in found.text


def test_pictures_have_words_and_tables_have_headings(page: str) -> None:
    found = Outline(page)
    pictures = [value for tag, name, value in found.attributes if (tag, name) == ("svg", "role")]
    labels = [value for tag, name, value in found.attributes if (tag, name) == ("svg", "aria-label")]
    assert len(pictures) == len(labels) >= 3
    assert all(20 < len(label) <= 1000 for label in labels)
    assert {value for tag, name, value in found.attributes if (tag, name) == ("th", "scope")} == {"col", "row"}
    regions = [value for tag, name, value in found.attributes if (tag, name) == ("div", "role")]
    classes = found.values("class")
    assert len(regions) == classes.count("scroll") + classes.count("nv-table")


def test_hostile_names_stand_there_as_text(page_of: Callable[[str], str]) -> None:
    found = Outline(page_of("nasty"))
    assert found.tags <= Outline(page_of("iris")).tags | MATHEMATICS
    for name in ("<script>alert('target')</script>", "<b>bold</b>", "=cmd()", "[/red]$\\bad$", "日本語", "😀 שלום"):
        assert name in found.text
    assert "\u202e" not in found.page
    assert "x" * 1000 not in found.page  # of 10,000
    assert "y" * 1000 not in found.page


def test_the_same_study_gives_the_same_page(blind: Study, page_of: Callable[[str], str]) -> None:
    assert render(blind) == page_of("blind")


def test_warnings_stand_first_and_notes_with_the_data(blind: Study) -> None:
    found = (Finding("leak", "A column <gives> it away.", gravity="warning"), Finding("few", "Rows are few."))
    text = Outline(render(replace(blind, findings=found, stopped="Time was up."))).text
    order = [
        text.index(words) for words in ("Time was up.", "A column <gives> it away.", blind.reason, "Rows are few.")
    ]
    assert order == sorted(order)
    assert "2 warnings are among what to beware of" in text


def test_the_gravest_three_warnings_come_first_and_the_others_are_linked(blind: Study) -> None:
    kinds = ("drift", "outlier", "giveaway", "variants", "target-copy")
    found = tuple(Finding(kind, f"This is {kind}.", gravity="warning") for kind in kinds)
    page = Outline(render(replace(blind, findings=found)))
    first, _, rest = page.text.partition("2 more warnings, and what else was found")
    assert [kind for kind in kinds if f"This is {kind}." in first] == ["drift", "giveaway", "target-copy"]
    assert first.index("This is target-copy.") < first.index("This is giveaway.") < first.index("This is drift.")
    assert all(f"This is {kind}." in rest for kind in kinds)
    assert "#findings" in page.values("href")


def test_a_part_that_cannot_be_made_says_so_in_its_place(blind: Study) -> None:
    class Broken:
        def work(self) -> None:
            raise RuntimeError("no <work> today")

    text = Outline(render(replace(blind, best_=Broken()))).text
    assert "This part could not be made: no <work> today" in text
    assert blind.question.fingerprint in text


def test_the_first_screen_stays_where_the_model_cannot_be_asked(iris: Study) -> None:
    class Silent:
        classes_ = np.array(["setosa", "versicolor", "virginica"])
        schema_ = iris.best_.schema_

        def predict(self, X: object) -> None:
            raise RuntimeError("no <answer> today")

    silent = replace(iris, best_=Silent(), answers=None)
    text = Outline(render(silent)).text
    assert "What the model looks at could not be measured: no <answer> today." in text
    assert iris.reason in text
    assert iris.headline[1] in text  # from the folds


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path, blind: Study, page_of: Callable[[str], str]) -> None:
    place = tmp_path / "report.html"
    blind.report(place)
    assert place.read_text(encoding="utf-8") == page_of("blind")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").touch()
    with pytest.raises(DataError, match="cannot be written"):
        write_report(blind, folder)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "report.html"]
    with pytest.raises(DataError, match="there is no folder"):
        write_report(blind, tmp_path / "nowhere" / "report.html")


def test_only_a_study_can_be_reported() -> None:
    with pytest.raises(InputTypeError, match="this is a dict"):
        render({})  # type: ignore[arg-type]


def test_a_table_without_a_target_has_a_page_of_its_own() -> None:
    frame = nasty_table().drop_columns([NASTY_TARGET]).append_column("sum", pa.array(np.arange(120.0) % 7))
    found = explore(nv.read(frame))
    findings = (Finding("text", "A <column> is left out."), Finding("drift", "Rows differ.", gravity="warning"))
    outline = Outline(render(replace(found, findings=findings, command="novacula learn <flowers>.csv")))
    assert {name for name, _, _ in EXPLORATION} <= set(outline.values("id"))
    assert "could not be made" not in outline.text
    order = [outline.text.index(words) for words in ("Rows differ.", found.reason, "A <column> is left out.")]
    assert order == sorted(order)
    assert "novacula learn <flowers>.csv" in outline.text
    alts = [figure.alt[:40] for _, figure in found.figures()]
    assert all(any(label.startswith(alt) for label in outline.values("aria-label")) for alt in alts)
    assert len(set(outline.values("id"))) == len(outline.values("id"))
    assert not outline.tags & {"script", "b", "img"}
