"""What a report does where time is short, and where somebody presses Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from novacula.errors import DataError
from novacula.report import render
from novacula.report.blocks import Block, Page, Paragraph
from novacula.report.making import INTERRUPTED, blocks_of, sections_of
from novacula.report.page import page_html
from novacula.report.reading import LEAST, MARGIN, Reading
from novacula.report.sections import change, parts
from novacula.study import Study
from novacula.table.interruption import Interruption
from novacula.table.time_limit import TimeLimitError

from .outline import Outline


def test_a_part_is_made_if_it_fits_into_what_is_left(iris: Study) -> None:
    reading = Reading(iris, 30.0)
    assert reading.allows(5.0, most=10.0)
    assert not reading.allows(5.0, most=4.0)
    assert not reading.allows(29.5, most=100.0)  # a second is kept for the rest of the page
    assert "would take about 5 s." in f"{reading.too_long(5.0, 4.0)}."
    assert "which the time for the study did not allow" in reading.too_long(29.5, 100.0)
    nothing = Reading(iris, 0.0)
    assert nothing.allows(LEAST - MARGIN - 0.2, most=10.0)
    assert not nothing.allows(LEAST, most=10.0)


def test_the_time_is_what_the_study_has_left(iris: Study) -> None:
    assert iris.clock.left < 60.0
    assert Reading(iris).left == pytest.approx(iris.clock.left - MARGIN, abs=0.5)


def test_after_an_interruption_nothing_that_takes_long_is_begun(iris: Study) -> None:
    reading = Reading(iris, 100.0)
    reading.interruption.happened = True
    assert not reading.allows(0.1, most=10.0)
    assert reading.too_long(0.1, 10.0) == "not made: interrupted"


def test_a_page_without_time_says_what_is_left_out(iris: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reading, "left", 0.0)
    text = Outline(render(iris)).text
    for begins in (
        "What the model looks at is left out",
        "What more rows would bring is left out",
        "Fitting the finalists 20 times each is left out",
        "The curves of the other learners are left out",
    ):
        assert begins in text
    assert "could not be made" not in text


def test_a_part_that_takes_longer_than_it_should_is_ended(iris: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*arguments: Any, **options: Any) -> None:
        raise TimeLimitError(7.0)

    monkeypatch.setattr(change, "learning_curve", endless)
    monkeypatch.setattr(parts, "bias_variance", endless)
    text = Outline(render(iris, 30.0)).text
    assert "The rest of this part is left out: it took longer than 7 s." in text
    assert "Naive Bayes is left out: it took longer than 7 s to be fitted 20 times." in text


# --- Ctrl-C ------------------------------------------------------------------------------------------------------


def quick(_: None) -> Iterator[Block]:
    yield Paragraph("made")


def interrupted(_: None) -> Iterator[Block]:
    yield Paragraph("begun")
    raise KeyboardInterrupt


def words(makers: Any) -> list[list[str]]:
    interruption = Interruption()
    sections = sections_of(None, [("name", "Title", make) for make in makers], interruption)
    assert interruption.happened == (interrupted in makers)
    return [[block.text for block in section.blocks if isinstance(block, Paragraph)] for section in sections]


def test_what_was_made_stays_and_the_rest_is_quick() -> None:
    assert words([quick, interrupted, quick]) == [["made"], ["begun", INTERRUPTED], ["made"]]


def test_who_presses_again_ends_the_rest() -> None:
    found = words([quick, interrupted, quick, interrupted, quick])
    assert found == [["made"], ["begun", INTERRUPTED], ["made"], ["begun", INTERRUPTED], [INTERRUPTED]]


def test_what_was_yielded_before_an_error_stays() -> None:
    def broken(_: None) -> Iterator[Block]:
        yield Paragraph("begun")
        raise ValueError("no more")

    first, last = blocks_of(broken, None, Interruption())
    assert first == Paragraph("begun")
    assert "could not be made: no more" in last.text  # type: ignore[union-attr]


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard, even if these tests were started as a job in the background, to which shells do not pass it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_what_swallows_an_interruption_does_not_hide_it(
    tmp_path: Path, iris: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C within a callback of a compiled library was printed as ignored, and the command ended with 0."""

    def swallow(*arguments: Any, **options: Any) -> None:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise DataError("no picture")

    monkeypatch.setattr("novacula.report.sections.seeing.dependence", swallow)
    monkeypatch.setattr(Reading, "seconds_per_row", 1e-9)  # or a busy machine leaves that part out
    place = tmp_path / "report.html"
    with pytest.raises(KeyboardInterrupt):
        iris.report(place, 30.0)
    assert "What more rows would bring is not made: interrupted." in Outline(place.read_text(encoding="utf-8")).text
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_presses_while_the_page_is_written_gets_it(
    tmp_path: Path, blind: Study, monkeypatch: pytest.MonkeyPatch, page_of: Callable[[str], str]
) -> None:
    calls: list[int] = []

    def once(page: Page) -> str:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return page_html(page)

    monkeypatch.setattr("novacula.report.page.page_html", once)
    with pytest.raises(KeyboardInterrupt):
        blind.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page_of("blind")


def test_a_report_that_was_interrupted_is_written_whole(
    tmp_path: Path, iris: Study, monkeypatch: pytest.MonkeyPatch, page_of: Callable[[str], str]
) -> None:
    def stop(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("novacula.report.sections.seeing.dependence", stop)
    place = tmp_path / "report.html"
    with pytest.raises(KeyboardInterrupt):
        iris.report(place)
    found = Outline(place.read_text(encoding="utf-8"))
    assert {"leaderboard", "model", "reproduce"} <= set(found.values("id"))
    assert found.text.count(INTERRUPTED) == 1
    assert "What more rows would bring is not made: interrupted." in found.text
    assert iris.reason in found.text
