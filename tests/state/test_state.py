"""Declarations: what fits passes, and each way not to fit is refused with a sentence that names the place."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from novacula.state import (
    Scope,
    State,
    StateError,
    any_record,
    by_parameter,
    check_state,
    codes,
    declared,
    definite,
    describe,
    each,
    flag,
    flags,
    floats,
    indices,
    instance,
    keyed,
    label,
    labels,
    mapping,
    nullable,
    number,
    offsets,
    one_of,
    optional,
    parts,
    probabilities,
    record,
    text,
    texts,
    whole,
    wholes,
    word,
)


@dataclass(frozen=True)
class Shelf:
    state: ClassVar[State] = {
        "start": offsets("shelves+1", "books"),
        "weight": floats("books", least=0.0),
    }

    start: Any
    weight: Any


@dataclass(frozen=True)
class LockedShelf(Shelf):
    state: ClassVar[State] = {"key": whole()}

    key: int = 0


SHELF = Shelf(np.array([0, 2, 3]), np.ones(3))
FITS = [
    (floats("a", "b"), np.ones((2, 3))),
    (floats("a", least=0.0, most=1.0), np.array([0.0, 1.0])),
    (floats("a", finite=False), np.array([np.nan, np.inf])),
    (floats("a", single=True), np.ones(2, np.float32)),
    (floats(), np.array(1.0)),
    (floats("a"), np.array([1e308, 1e308])),  # whose sum is infinite
    (floats("a+1"), np.ones(4)),
    (floats(2, "any"), np.ones((2, 9))),
    (wholes("a"), np.array([0, 5])),
    (codes("a", below="four"), np.array([0, 3], np.int32)),
    (indices("four", "a"), np.array([0, 3])),
    (indices("four", "a", or_none=True), np.array([-1, 3], np.int32)),
    (probabilities("a", "b"), np.array([[0.5, 0.5], [1.0, 0.0]])),
    (probabilities("a", whole=False), np.array([0.5, 0.9])),
    (definite("a", "a"), np.array([[2.0, 1.0], [1.0, 2.0]])),
    (flags("a"), np.array([True])),
    (labels("a"), np.array(["x", "y"])),
    (labels("a"), np.array([0, "y", 2.5], object)),
    (labels("a"), np.array([1e300, -1e300])),
    (texts("a"), np.array(["x", "x"])),
    (offsets("a+1", "entries"), np.array([0, 0, 2])),
    (number(least=0.0), 0),
    (number(finite=False), np.nan),
    (whole(most="four"), 4),
    (whole(size="four"), np.int64(4)),
    (flag(), True),
    (word("up", "down"), "up"),
    (text(), ""),
    (label(), np.str_("x")),
    (nullable(whole()), None),
    (optional(whole()), 1),
    (each(whole(), "four"), (1, 2, 3, 4)),
    (parts(whole(), text()), [1, "a"]),
    (keyed({"n": whole(), "m": optional(whole())}), {"n": 1}),
    (mapping(whole()), {"a": 1}),
    (record(Shelf, books=3), SHELF),
    (any_record(Shelf), LockedShelf(SHELF.start, SHELF.weight, 3)),
    (instance(str, int), 3),
    (one_of(whole(), text()), "a"),
    (by_parameter("kind", {"small": whole(most=3), "large": whole(least=4)}), 2),
]
MISFITS = [
    (floats("a", "b"), np.ones(2), "x is an array of float64 of shape (2,), where numbers (a, b) should be"),
    (floats("a"), np.ones(2, np.float32), "x is an array of float32"),
    (floats("a"), [1.0], "x is a list, where numbers (a) should be"),
    (floats("a"), np.array([1.0, np.nan]), "x holds a number that is not finite"),
    (floats("a"), np.array([np.inf, -np.inf]), "x holds a number that is not finite"),
    (
        floats("four"),
        np.ones(3),
        "of shape (3,), where numbers (four) should be, and there are 4 four",
    ),
    (floats("a", "a"), np.ones((2, 3)), "and there are 2 a"),
    (floats(3), np.ones(4), "where numbers (3) should be"),
    (floats("a", least=0.0), np.array([-1.0]), "x holds a number that is out of range, where numbers (a), at least 0"),
    (floats("a", least=0.0, finite=False), np.array([np.nan]), "out of range"),
    (floats("a", most=1.0), np.array([2.0]), "out of range, where numbers (a), at most 1 should be"),
    (indices("four", "a"), np.array([4]), "places (a), from 0 to below the number of four should be"),
    (indices("four", "a"), np.array([-1]), "out of range"),
    (indices("nothing", "a"), np.array([1]), "nothing before says how many nothing there are"),
    (probabilities("a"), np.array([0.5, 0.4]), "x holds probabilities that do not sum to 1"),
    (probabilities("a"), np.array([1.5, -0.5]), "out of range"),
    (definite("a", "a"), np.array([[1.0, 2.0], [2.0, 1.0]]), "x is not positive definite"),
    (definite("a", "a"), np.array([[1.0, 2.0], [0.0, 5.0]]), "x is not symmetric"),
    (labels("a"), np.array(["x", "x"]), "x holds a label twice"),
    (labels("a"), np.array([None, "x"], object), "neither text nor a finite number of 64 bits"),
    (labels("a"), np.array([2**70, 1], object), "neither text nor a finite number of 64 bits"),
    (labels("a"), np.array([np.nan]), "neither text nor a finite number of 64 bits"),
    (labels("four"), np.array(["x"]), "x has 1 labels, but there are 4 four"),
    (offsets("a", "four"), np.array([0, 2]), "x does not rise from 0 to the number of four"),
    (offsets("a", "b"), np.array([0, 2, 1]), "x does not rise from 0"),
    (offsets("a", "b"), np.array([], np.int64), "x does not rise from 0"),
    (number(), True, "x is a bool, where a number should be"),
    (number(), np.inf, "x is not finite"),
    (whole(), 1.5, "x is a float, where a whole number of at least 0 should be"),
    (whole(most="four"), 5, "x is out of its range: a whole number of at least 0, at most four"),
    (whole(size="four"), 5, "x is not the number of four, 4"),
    (flag(), 1, "x is a int, where true or false should be"),
    (word("up", "down"), "left", "x is a str, where 'up' or 'down' should be"),
    (label(), [1], "x is a list, where a label should be"),
    (each(whole(), "four"), (1, 2), "x holds 2, but there are 4 four"),
    (each(whole()), (1, -2), "x[1] is out of its range"),
    (parts(whole(), text()), [1], "x is a list"),
    (keyed({"n": whole()}), {"n": 1, "m": 2}, "x.m is not an attribute that is declared"),
    (keyed({"n": whole()}), {}, "x.n is missing"),
    (mapping(whole()), {1: 1}, "x is a dict"),
    (mapping(whole()), {"a": "b"}, "x['a'] is a str"),
    (
        record(Shelf),
        replace(SHELF, weight=np.ones(4)),
        "x.weight is an array of float64 of shape (4,)",
    ),
    (record(Shelf, books="four"), SHELF, "x.start does not rise from 0 to the number of books"),
    (record(Shelf), LockedShelf(SHELF.start, SHELF.weight), "x is a LockedShelf, where a Shelf should be"),
    (any_record(Shelf), LockedShelf(SHELF.start, SHELF.weight, -1), "x.key is out of its range"),
    (instance(str), 3, "x is a int, where a str should be"),
    (one_of(whole(), text()), 1.5, "x is a float, where a text should be"),
    (one_of(number(), text()), np.inf, "x is not finite"),
    (by_parameter("kind", {"small": whole(most=3)}), 5, "x is out of its range"),
    (by_parameter("kind", {"large": whole()}), 5, "x has no form for this kind"),
]


def scope() -> Scope:
    return Scope({"four": 4}, {"kind": "small"}.get)


@pytest.mark.parametrize(("form", "value"), FITS)
def test_what_fits_passes(form, value):
    form.check(value, "x", scope())
    assert form.words()


@pytest.mark.parametrize(("form", "value", "sentence"), MISFITS)
def test_what_does_not_fit_is_refused(form, value, sentence):
    with pytest.raises(StateError) as caught:
        form.check(value, "x", scope())
    assert sentence in str(caught.value)


@pytest.mark.parametrize(("form", "value"), FITS)
def test_some_forgery_of_each_form_is_refused(form, value):
    """Those that are not may fit as well as the true value: another number of rows where nothing else counts them."""
    refused = 0
    for forged in form.forgeries(value, np.random.default_rng(0)):
        try:
            form.check(forged, "x", scope())
        except StateError:
            refused += 1
    assert refused


def test_dimensions_of_one_name_have_one_size_in_all_attributes():
    state = {"coef_": floats("planes", "columns"), "intercept_": floats("planes")}
    check_state(state, {"coef_": np.ones((2, 3)), "intercept_": np.ones(2)}, Scope({"columns": 3}))
    with pytest.raises(StateError, match=r"intercept_ is an array of .* and there are 2 planes"):
        check_state(state, {"coef_": np.ones((2, 3)), "intercept_": np.ones(3)}, Scope({"columns": 3}))
    with pytest.raises(StateError, match="there are 4 columns"):
        check_state(state, {"coef_": np.ones((2, 3)), "intercept_": np.ones(2)}, Scope({"columns": 4}))


def test_a_part_passes_sizes_in_and_out():
    state = {"shelf_": record(Shelf, books="items"), "price_": floats("items")}
    check_state(state, {"shelf_": SHELF, "price_": np.ones(3)}, Scope())
    with pytest.raises(StateError, match=r"price_ .* and there are 3 items"):
        check_state(state, {"shelf_": SHELF, "price_": np.ones(2)}, Scope())


def test_a_declaration_adds_to_that_of_its_bases():
    assert list(declared(LockedShelf)) == ["start", "weight", "key"]
    assert describe(declared(LockedShelf)).splitlines()[2] == "key     a whole number of at least 0"


def test_a_dimension_is_a_name_and_a_difference():
    with pytest.raises(ValueError, match="'2a' is not a dimension"):
        floats("2a").check(np.ones(2), "x", Scope())


def test_of_many_numbers_the_first_that_is_wrong_is_named():
    long = [0.5] * 50
    each(number(least=0.0)).check(long, "x", Scope())
    each(number(finite=False)).check([np.nan, -np.inf, np.inf], "x", Scope())
    each(number()).check([1e308] * 3, "x", Scope())  # whose sum is not finite
    each(whole(least=None)).check([1 - 2**63, 2**63 - 1], "x", Scope())
    for form, wrong, sentence in (
        (number(least=0.0), -1.0, r"x\[3\] is out of its range"),
        (number(most=1.0), 2.0, r"x\[3\] is out of its range"),
        (number(), np.nan, r"x\[3\] is not finite"),
        (number(), -np.inf, r"x\[3\] is not finite"),
        (number(), True, r"x\[3\] is a bool"),
        (number(), "1", r"x\[3\] is a str"),
        (whole(), 1.0, r"x\[3\] is a float"),
        (whole(), -1, r"x\[3\] is out of its range"),
        (whole(), 2**2000, r"x\[3\] is a whole number of more than 64 bits"),
    ):
        right = 1 if form == whole() else 0.5
        values = [right] * 3 + [wrong] + [right] * 3 + [wrong]
        with pytest.raises(StateError, match=sentence):
            each(form).check(values, "x", Scope())
