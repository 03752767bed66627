"""BIF: written and read back to the bit, the forms of the format, and errors with their lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks.samples import NASTY_NAMES
from novacula.errors import DataError, ParameterError
from novacula.graph.families import CategoricalFamily, GaussianFamily
from novacula.graph.files.bif import parse_bif
from novacula.graph.files.bif_writer import bif_text
from novacula.graph.network import Network

TWO = """
network "two nodes" { property author = me; property "version 1.0" ; }
variable A { type discrete [ 2 ] { yes, no }; property position = (10, 20) ; }  // a comment
variable B { type discrete [ 3 ] { low, mid-dle, <5 }; }
/* a longer comment:
   variable C { } */
probability ( A ) { table 0.2, 0.8; }
"""
B_ROWS = "probability ( B | A ) { (yes) 0.1, 0.2, 0.7; (no) 0.3 0.3 0.4; }"


def test_rows_default_and_table_say_the_same():
    expected = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    for block in (
        B_ROWS,
        "probability ( B | A ) { default 0.3, 0.3, 0.4; (yes) 0.1, 0.2, 0.7; }",
        "probability ( B | A ) { property note = x; table 0.1, 0.3, 0.2, 0.3, 0.7, 0.4; }",
    ):
        a, b = parse_bif(TWO + block)
        assert (a.node, a.states, a.parents) == ("A", ("yes", "no"), ())
        assert (b.node, b.states, b.parents) == ("B", ("low", "mid-dle", "<5"), ("A",))
        np.testing.assert_array_equal(b.table, expected)


def test_a_table_runs_through_the_last_parent_fastest():
    text = """variable A { type discrete [2] { t, f }; } variable B { type discrete [2] { t, f }; }
    variable C { type discrete [2] { t, f }; } probability ( A ) { table 0.5 0.5; } probability ( B ) { table 0.5 0.5; }
    probability ( C | A, B ) { table 0.1 0.2 0.3 0.4 0.9 0.8 0.7 0.6; }"""
    c = parse_bif(text)[2]
    np.testing.assert_array_equal(c.table[..., 0], [[0.1, 0.2], [0.3, 0.4]])


def test_printed_sums_are_divided_out():
    b = parse_bif(TWO + B_ROWS.replace("0.7", "0.7005"))[1]
    np.testing.assert_allclose(b.table[0], np.array([0.1, 0.2, 0.7005]) / 1.0005, rtol=1e-15)


@settings(deadline=None)
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(1, 8))
def test_written_and_read_to_the_bit(seed, n_nodes, random_network):
    network = random_network(seed, n_nodes)
    assert Network(parse_bif(bif_text(network))) == network


def test_files(tmp_path, asia):
    asia.to_bif(tmp_path / "asia.bif")
    assert Network.from_bif(tmp_path / "asia.bif") == asia
    (tmp_path / "bad.bif").write_text("variable A { }", encoding="utf-8")
    with pytest.raises(DataError, match=r"'bad.bif': line 1 of the BIF file"):
        Network.from_bif(tmp_path / "bad.bif")
    (tmp_path / "binary.bif").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"'binary.bif' is not text in UTF-8"):
        Network.from_bif(tmp_path / "binary.bif")


@settings(deadline=None)
@given(names=st.lists(st.text(max_size=8), min_size=2, max_size=3, unique=True))
def test_any_name_comes_back(names):
    states = tuple(names)
    share = np.full(len(states), 1.0 / len(states))
    node, other = names[:2]
    network = Network(
        (
            CategoricalFamily(node, states, (), share),
            CategoricalFamily(other, states, (node,), np.tile(share, (len(states), 1))),
        )
    )
    assert Network(parse_bif(bif_text(network))) == network


def test_hostile_names_come_back():
    families = [
        CategoricalFamily(name, NASTY_NAMES, (), np.full(10, 0.1)) for name in (*NASTY_NAMES, 'a"b\\', "//", "/*")
    ]
    network = Network(tuple(families))
    assert Network(parse_bif(bif_text(network))) == network


def test_what_the_format_cannot_hold():
    with pytest.raises(ParameterError, match="'x' is continuous"):
        bif_text(Network((GaussianFamily("x", (), (), 0.0, [], 1.0),)))
    with pytest.raises(ParameterError, match="two states of 'a' read alike"):
        bif_text(Network((CategoricalFamily("a", (1, "1"), (), [0.5, 0.5]),)))
    numbers = Network((CategoricalFamily("a", (0, 1), (), [0.5, 0.5]),))
    assert parse_bif(bif_text(numbers))[0].states == ("0", "1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1 .*no variable block"),
        ("network n { } network m { }", "network block already, at line 1"),
        ("net n { }", "line 1 .*expected 'network' or 'variable' or 'probability', found 'net'"),
        ("variable A\n { type discrete [ 2 ] { yes }; }", "line 2 .*2 states are announced, and 1 are named"),
        ("variable A { type discrete [ 2 ] { yes, yes }; }", "'yes' is named twice"),
        ("variable A { type continuous [ 2 ] { a, b }; }", "expected 'discrete', found 'continuous'"),
        ("variable A { type discrete [ two ] { a, b }; }", "expected the number of states, found 'two'"),
        ("variable A {\n }", "line 2 .*expected 'type discrete'"),
        ("variable A { type discrete [ 2 ] { a, b }", "expected ';', found the end of the file"),
        (TWO + "variable A { type discrete [ 2 ] { a, b }; }", "line 8 .*'A' has a variable block already, at line 3"),
        (TWO, "line 4 .*variable 'B' has no probability block"),
        (TWO + B_ROWS + B_ROWS, "line 8 .*'B' has a probability block already"),
        (TWO + "probability ( C ) { table 1.0; }", "line 8 .*variable 'C' is not known: expected one of 'A', 'B'"),
        (TWO + "probability ( B | C ) { (yes) 0.1, 0.2, 0.7; }", "the parent 'C' is not known"),
        (TWO + "probability ( B | B ) { (low) 0.1, 0.2, 0.7; }", "names a variable twice"),
        (TWO + B_ROWS.replace("(no)", "(maybe)"), "state of 'A' 'maybe' is not known: expected one of 'yes', 'no'"),
        (TWO + B_ROWS.replace("(no)", "(yes)"), r"row \(yes\) of 'B' is given twice"),
        (TWO + B_ROWS.replace("(no)", "(no, no)"), "a row names 2 states"),
        (TWO + "probability ( B | A ) {\n(yes) 0.1, 0.2, 0.7; }", r"line 8 .*'B' has no row for \(no\)"),
        (TWO + B_ROWS.replace("0.7", "0.8"), "line 8 .*'B' sum to 1.1: expected 1"),
        (TWO + B_ROWS.replace("0.7", "7"), "expected a probability between 0 and 1, found '7'"),
        (TWO + B_ROWS.replace("0.7", "nan"), "expected a probability between 0 and 1, found 'nan'"),
        (TWO + B_ROWS.replace(", 0.7", ""), "a row of 'B' has 2 numbers: expected 3"),
        (TWO + "probability ( B | A ) { table 0.5, 0.5; }", "the table of 'B' has 2 numbers: expected 6"),
        (TWO + "probability ( B | A ) { table 0.1, 0.3, 0.2, 0.3, 0.7, 0.9; }", "'B' sum to 1.5"),
        (TWO + B_ROWS[:-1] + "table 0.1, 0.3, 0.2, 0.3, 0.7, 0.4; }", "has a table and rows"),
        (TWO + B_ROWS[:-1] + "default 0.1 0.1 0.8; default 0.1 0.1 0.8; }", "second default"),
        ('variable "A { }', "line 1 .*quotation mark is opened here and never closed"),
        ("/* variable", "comment is opened here and never closed"),
        ("network n { property a ", "expected ';' at the end of a property"),
    ],
)
def test_errors_name_line_and_what_was_expected(text, sentence):
    with pytest.raises(DataError, match=sentence):
        parse_bif(text)
