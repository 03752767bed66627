"""Names in arguments and messages."""

from novacula.table.names import as_names, did_you_mean, printable, repeated


def test_one_name_several_or_none():
    assert as_names(None) == ()
    assert as_names("age") == ("age",)
    assert as_names(["age", "sex"]) == ("age", "sex")


def test_repeated():
    assert repeated(["a", "b", "c", "b", "c"]) == "b"
    assert repeated(["a", "b"]) is None


def test_nearest_name():
    assert did_you_mean("colour", ["color", "size"]) == "; did you mean 'color'?"
    assert did_you_mean("zzz", ["color", "size"]) == "; the columns are 'color', 'size'"
    assert did_you_mean("zzz", ["no", "yes"], "classes") == "; the classes are 'no', 'yes'"


def test_printable():
    assert printable("a\nb\x1b") == "a\ufffdb\ufffd"
    assert printable("abcdef", 4) == "abc…"
    assert printable("abcd", 4) == "abcd"
