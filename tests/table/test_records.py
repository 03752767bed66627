"""Ends of records against a reader that goes through the text byte by byte."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from novacula.table.records import RecordSyntax, count_lines


def record_ends(data: bytes, delimiter=b",", quote=b'"'):
    """All ends of records, by the rules of the format, one byte after the other."""
    ends, inside, field_begins, i = [], False, True, 0
    while i < len(data):
        byte = data[i : i + 1]
        if inside:
            if byte == quote and data[i + 1 : i + 2] == quote:
                i += 1
            elif byte == quote:
                inside = False
        elif byte == quote and field_begins:
            inside = True
        elif byte == b"\n" or (byte == b"\r" and data[i + 1 : i + 2] != b"\n"):
            ends.append(i + 1)
        field_begins = not inside and byte in (delimiter, b"\n", b"\r")
        i += 1
    return ends


CSV = RecordSyntax(b",", b'"')
texts = st.lists(st.sampled_from([b"a", b'"', b'""', b",", b"\n", b"\r", b"\r\n", b" "]), max_size=30).map(b"".join)


@settings(deadline=None)
@given(texts)
@example(b'12" pipe,3\n"a\nb",4\n')
@example(b'a, "b\n","c\n"\n')
@example(b'"a""b\n""",x\n"')
@example(b'"",""\n""x"\n')
def test_ends_agree_with_a_byte_by_byte_reader(data):
    ends = record_ends(data)
    line_feeds = [end for end in ends if data[end - 1 : end] == b"\n"]
    assert CSV.last_end(data) == (line_feeds[-1] if line_feeds else 0)
    assert CSV.first_end(data) == (ends[0] if ends else 0)


@settings(deadline=None)
@given(texts, st.integers(0, 60))
def test_a_cut_does_not_depend_on_what_follows(data, size):
    """Cutting the beginning of a text gives ends that the whole text has too."""
    end = CSV.last_end(data[:size])
    assert end == 0 or end in record_ends(data)


def test_open_quotes():
    assert CSV.open_quote(b'1,"a"\n2,"b') == 8
    assert CSV.open_quote(b'1,"a"\n2,b"') is None
    assert CSV.open_quote(b'1,"a""') == 2
    assert RecordSyntax().open_quote(b'"a') is None


def test_without_quotes_every_newline_ends_a_record():
    plain = RecordSyntax()
    assert plain.last_end(b'"a\nb') == 3
    assert plain.first_end(b'"a\nb\n') == 3
    assert plain.last_end(b"abc") == 0
    assert plain.last_end(b"") == 0


@pytest.mark.parametrize("rest", [b"", b"1,2\r", b"1,2\n", b"1,2\r\n"])
def test_whatever_ends_the_first_line_others_may_end_otherwise(rest):
    for end in (b"\n", b"\r", b"\r\n"):
        assert CSV.first_end(b"a,b" + end + rest) == 3 + len(end)


def test_lines_are_counted_whatever_ends_them():
    assert count_lines(b"a\nb\rc\r\n\n\rd") == 5


@pytest.mark.parametrize("quotes", [0, 1, 2, 3])
def test_long_text_with_many_quotes(quotes):
    rng = np.random.default_rng(quotes)
    fields = [b'"x\n""y"', b"plain", b'5"', b""]
    data = b"".join(b",".join(fields[i] for i in rng.integers(0, quotes + 1, 5)) + b"\n" for _ in range(300))
    for size in (len(data), 1000, 777, 50):
        found = [end for end in record_ends(data) if end <= size]
        assert CSV.last_end(data[:size]) == (found[-1] if found else 0)
