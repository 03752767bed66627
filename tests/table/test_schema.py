"""Schemas: lookup, roles, markers, printing and JSON."""

import json
import math

import pytest

from novacula.errors import SchemaError
from novacula.table.notes import ReadingNote
from novacula.table.schema import Column, Schema, category_order

NASTY = [
    "[/red]",
    "$\\bad$",
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "a\nb\tc",
    "\x1b[31m",
    "x" * 500,
    "é" * 3,
]


@pytest.fixture
def schema():
    return Schema(
        (
            Column("age", "numeric", missing=2, low=1.0, high=9.0),
            Column("colour", "categorical", ("red", "green"), declared=True, missing=0),
            Column("note", "text"),
            Column("label", "categorical", (False, True), missing=0),
            Column("w", "numeric"),
            Column("id", "ignored"),
        ),
        target=("label",),
        weight="w",
        n_rows=1234,
    )


def test_features_are_what_has_no_role_and_is_not_ignored(schema):
    assert [column.name for column in schema.features] == ["age", "colour", "note"]
    assert [column.name for column in schema.of_kind("categorical")] == ["colour"]
    assert [column.name for column in schema.target_columns] == ["label"]
    assert schema.roles == ("label", "w")
    assert "age" in schema
    assert "Age" not in schema


def test_lookup_suggests_the_nearest_name(schema):
    with pytest.raises(SchemaError, match="no column 'colur'; did you mean 'colour'"):
        schema["colur"]
    with pytest.raises(SchemaError, match="no column 'zzz'; the columns are 'age', 'colour'"):
        schema["zzz"]


@pytest.mark.parametrize("roles", [{"target": ("labl",)}, {"weight": "wt"}])
def test_roles_must_exist(schema, roles):
    with pytest.raises(SchemaError, match="there is no column"):
        Schema(schema.columns, **roles)


def test_a_column_cannot_have_two_roles(schema):
    with pytest.raises(SchemaError, match="'w' cannot be target and weight at once"):
        Schema(schema.columns, target=("w",), weight="w")


def test_names_stand_once():
    with pytest.raises(SchemaError, match="the column name 'b' stands twice"):
        Schema((Column("a", "numeric"), Column("b", "numeric"), Column("b", "text")))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ({"kind": "float"}, "kind 'float', which is none of numeric, categorical, text"),
        ({"kind": "categorical", "categories": ("a", "b", "a")}, "names the category 'a' twice"),
        ({"kind": "categorical", "categories": (1, True)}, "twice"),
        ({"kind": "categorical", "categories": (1.0, math.nan)}, "has nan as a category"),
        ({"kind": "categorical", "categories": (1.0, math.inf)}, "has inf as a category"),
    ],
)
def test_columns_are_checked(column, message):
    with pytest.raises(SchemaError, match=message):
        Column("x", **column)


def test_select_keeps_roles_and_order(schema):
    chosen = schema.select(["note", "age"])
    assert chosen.names == ("note", "age", "label", "w")
    assert (chosen.target, chosen.weight) == (("label",), "w")
    with pytest.raises(SchemaError, match="did you mean 'note'"):
        schema.select(["notes"])


def test_drop_takes_roles_along(schema):
    left = schema.drop(["label", "w"])
    assert left.names == ("age", "colour", "note", "id")
    assert (left.target, left.weight) == ((), None)


def test_with_target(schema):
    assert schema.with_target("age").target == ("age",)
    assert schema.with_target(["age", "colour"]).target == ("age", "colour")
    assert schema.with_target(None).target == ()


def test_a_category_is_never_missing():
    columns = (Column("vote", "categorical", ("y", "n", "?"), declared=True), Column("age", "numeric"))
    schema = Schema(columns, missing=("?", ""), missing_by_column={"age": ("-1",)})
    assert schema.markers("vote") == ("",)
    assert schema.markers("age") == ("-1",)
    with pytest.raises(SchemaError, match="no column 'agee'"):
        schema.markers("agee")


def test_markers_of_two_schemas():
    columns = (Column("a", "numeric"), Column("b", "numeric"))
    one = Schema(columns, missing=("NA",), missing_by_column={"a": ("-1",)})
    two = Schema(columns, missing=("?",), missing_by_column={"b": ("-2",), "elsewhere": ("x",)})
    both = one.with_markers_of(two)
    assert both.missing == ("NA", "?")
    assert both.markers("a") == ("-1", "?")
    assert both.markers("b") == ("NA", "-2")


def test_order_of_categories_is_by_value_not_by_appearance():
    assert category_order(["b", "a", "B", "é"]) == ("B", "a", "b", "é")
    assert category_order([10, 9, 2.5]) == (2.5, 9, 10)
    assert category_order([True, False]) == (False, True)
    assert category_order(["x", 3, "a", 1]) == (1, 3, "a", "x")


def test_uncounted_forgets_counts_and_nothing_else(schema):
    bare = schema.uncounted()
    assert all(column.missing is None and column.low is None for column in bare)
    assert [c.categories for c in bare] == [c.categories for c in schema]
    assert bare.target == schema.target


# --- printing --------------------------------------------------------------------------------------------


def test_print(schema):
    assert str(schema) == (
        "1,234 rows × 6 columns\n"
        "column  kind         missing  values          role\n"
        "age     numeric      2        1 to 9\n"
        "colour  categorical  0        2: red, green\n"
        "note    text         ?\n"
        "label   categorical  0        2: False, True  target\n"
        "w       numeric      ?                        weight\n"
        "id      ignored      ?"
    )


def test_nasty_names_stay_on_their_line():
    columns = [Column(name, "categorical", tuple(NASTY)) for name in NASTY]
    lines = str(Schema(tuple(columns))).split("\n")
    assert len(lines) == 2 + len(NASTY)
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) < 250
    assert lines[2].startswith("[/red]")


def test_wide_schemas_print_short_but_show_roles():
    schema = Schema(tuple(Column(f"x{j}", "numeric") for j in range(100_000)), target=("x99999",))
    lines = str(schema).split("\n")
    assert len(lines) < 70
    assert lines[0] == "100,000 columns"
    assert lines[-2].endswith("target")
    assert lines[-1] == "… and 99,939 more columns"


# --- JSON ------------------------------------------------------------------------------------------------


def test_json_round_trip(schema):
    assert Schema.from_json(schema.to_json()) == schema


def test_json_keeps_types_of_categories_and_infinite_ranges():
    columns = (
        Column("mixed", "categorical", (1, 2.5, "1", "yes"), declared=True),
        Column("flag", "categorical", (False, True)),
        Column("range", "numeric", low=-math.inf, high=math.inf),
        *(Column(name, "ignored", note="odd") for name in NASTY),
    )
    schema = Schema(columns, missing=("", "é"), missing_by_column={"range": ("∞",)})
    text = schema.to_json()
    json.loads(text, parse_constant=pytest.fail)
    back = Schema.from_json(text)
    assert back == schema
    assert [type(c) for c in back["mixed"].categories] == [int, float, str, str]
    assert back["flag"].categories[0] is False


def described(**changes):
    """A schema of one column as JSON, with some of its values changed."""
    column = {"name": "a", "kind": "numeric"}
    values = {"target": [], "weight": None, "missing": [], "missing_by_column": {}, "n_rows": 1}
    return json.dumps(values | {"columns": [column | changes]})


def test_what_is_described_can_be_read():
    assert Schema.from_json(described()).names == ("a",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "{}",
        described().replace("[{", "[[{").replace("}]", "}]]"),
        described(name=3),
        described(name=None),
        described(kind="odd"),
        described(low="lots"),
        described(missing="some"),
        described(width=0),
        described(note=1),
        described(kind="categorical", categories=[[1]]),
        described(kind="categorical", categories=3),
        described(kind="categorical", categories=["a", "a"]),
    ],
)
def test_what_is_not_a_schema_is_refused(text):
    with pytest.raises(SchemaError):
        Schema.from_json(text)


def test_notes_go_with_their_columns():
    notes = (ReadingNote("the encoding is odd"), ReadingNote("'a' is read as dates", "a"), ReadingNote("'b' too", "b"))
    schema = Schema((Column("a", "numeric"), Column("b", "numeric")), notes=notes)
    assert Schema.from_json(schema.to_json()).notes == notes
    assert schema.drop(["a"]).notes == (notes[0], notes[2])
    assert schema.select(["a"]).notes == notes[:2]
    other = ReadingNote("'b' is something else", "b")
    assert schema.with_notes([other]).notes == (*notes[:2], other)
    assert str(schema).splitlines()[-1] == "note: 'b' too"
    assert schema == Schema(schema.columns)  # what was noted on the way does not make another schema


def test_notes_are_shown_on_one_line():
    schema = Schema((Column("a", "numeric"),), notes=(ReadingNote("evil\n\x1b[31m note"),))
    assert str(schema).splitlines()[-1] == "note: evil��[31m note"


@pytest.mark.parametrize(
    "column",
    [
        {"name": "a", "kind": "numeric", "spelling": "day-month-year"},  # and no time
        {"name": "a", "kind": "numeric", "spelling": "1.234,5", "is_time": True},
        {"name": "a", "kind": "text", "spelling": "1.234,5"},
        {"name": "a", "kind": "numeric", "spelling": "backwards"},
        {"name": "a", "kind": "numeric", "spelling": 7},
    ],
)
def test_spellings_that_make_no_sense(column):
    values = {"columns": [column], "target": [], "weight": None, "missing": [], "missing_by_column": {}, "n_rows": None}
    with pytest.raises(SchemaError, match="is not described by plain values"):
        Schema.from_dict(values)
    with pytest.raises(SchemaError, match="a note is a sentence"):
        Schema.from_dict(values | {"columns": [], "notes": [[1, None]]})
