"""The page in a real browser: nothing is fetched, nothing fails, it fits a phone, and the keyboard reaches it all.

Chromium is found by NOVACULA_CHROMIUM, or by its usual names. Without one the tests are skipped, unless
NOVACULA_BROWSER_REQUIRED=1 says that it must be there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


def absent(reason: str) -> None:
    """Skip, or fail where a browser is required."""
    if os.environ.get("NOVACULA_BROWSER_REQUIRED") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = os.environ.get("NOVACULA_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        absent("no browser: install Chromium, or set NOVACULA_CHROMIUM to the path of its executable")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("no Playwright: install the Python package playwright")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, page_of: Callable[[str], str], tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open the page of a study; what goes wrong, and what is asked for, is kept until the end."""
    troubles: list[str] = []
    asked: list[str] = []
    context = browser.new_context()

    def open_page(study: str, width: int) -> Any:
        place = tmp_path / f"{study}.html"
        place.write_text(page_of(study), encoding="utf-8")
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 800})
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(place.as_uri())
        return page

    yield open_page
    context.close()
    assert troubles == []
    assert [url for url in asked if not url.startswith(("data:", tmp_path.as_uri()))] == []


@pytest.mark.parametrize("study", ["nasty", "iris", "diabetes"])
def test_a_page_fits_desk_and_phone(visit: Callable[..., Any], study: str) -> None:
    page = visit(study, 1280)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for width in (1280, 390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("study", ["nasty", "iris", "diabetes"])
def test_nothing_is_wider_than_the_paper(visit: Callable[..., Any], study: str) -> None:
    """A browser shrinks all pages of a print to what sticks out of one."""
    page = visit(study, 688)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == 688
    cut = page.evaluate(
        "[...document.querySelectorAll('main table')].filter(one => one.getBoundingClientRect().right > 689)"
        ".map(one => one.textContent.slice(0, 80))"
    )
    assert cut == []


def test_hostile_names_are_text_in_the_browser(visit: Callable[..., Any]) -> None:
    page = visit("nasty", 1280)
    assert page.title() == "A study of ‘<script>alert('target')</script>’"
    assert page.locator("script, img, main b, iframe").count() == 0
    assert page.get_by_role("heading", level=1).inner_text() == page.title()


def test_the_keyboard_reaches_everything(visit: Callable[..., Any]) -> None:
    page = visit("iris", 390)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('#main').contains(document.activeElement)")
    # What is wider than the screen can be scrolled, by the keyboard too.
    unreached = page.evaluate(
        "[...document.querySelectorAll('main *:not(.nv-equation)')].filter(one => one.scrollWidth > one.clientWidth + 1"
        " && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && one.tabIndex < 0)"
        ".map(one => one.outerHTML)"
    )
    assert unreached == []
    fold = page.locator("details").first
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    assert fold.evaluate("one => one.open")


def test_a_screen_reader_finds_pictures_tables_and_regions_by_their_names(visit: Callable[..., Any]) -> None:
    page = visit("iris", 1280)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    drawn = page.locator("figure svg").count()
    assert page.get_by_role("img").count() == drawn
    assert page.get_by_role("img", name="Confusion matrix of 3 classes over 120 rows").count() == 1
    assert page.get_by_role("table", name="Learners by their error").count() == 1
    assert page.get_by_role("region", name="What would change this answer").count() == 1
    assert page.get_by_role("navigation", name="Contents").count() == 1


def test_print_shows_what_is_folded_away(visit: Callable[..., Any]) -> None:
    page = visit("iris", 1280)
    card = page.get_by_text("inductive bias", exact=True)
    assert not card.is_visible()
    page.emulate_media(media="print")
    assert card.is_visible()
    assert page.locator("nav").is_hidden()
    assert page.pdf().startswith(b"%PDF")
