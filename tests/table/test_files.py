"""Paths, globs and folders, and files that change between passes."""

import os
import pathlib

import pytest

from novacula.errors import DataError
from novacula.table.files import DataFile, find_paths, first_line, name_of, same_columns, unpacked_name


@pytest.fixture
def folder(tmp_path):
    for name in ("b.csv", "a.csv", "c.txt", "_SUCCESS", ".hidden", "odd[1].csv"):
        (tmp_path / name).write_text("x\n1\n")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "d.csv").write_text("x\n1\n")
    return tmp_path


def names(paths):
    return [os.path.basename(path) for path in paths]


def test_a_path_a_glob_a_folder_and_lists(folder):
    assert names(find_paths(str(folder / "a.csv"))) == ["a.csv"]
    assert names(find_paths(pathlib.Path(folder / "a.csv"))) == ["a.csv"]
    assert names(find_paths(str(folder / "?.csv"))) == ["a.csv", "b.csv"]
    assert names(find_paths(str(folder / "**" / "[ad].csv"))) == ["a.csv", "d.csv"]
    assert names(find_paths(folder)) == ["a.csv", "b.csv", "c.txt", "odd[1].csv"]
    assert names(find_paths([folder / "c.txt", str(folder / "?.csv")])) == ["c.txt", "a.csv", "b.csv"]


def test_a_name_that_looks_like_a_glob(folder):
    assert names(find_paths(str(folder / "odd[1].csv"))) == ["odd[1].csv"]
    strange = folder / "inner[x]"
    strange.mkdir()
    (strange / "e.csv").write_text("x\n1\n")
    assert names(find_paths(strange)) == ["e.csv"]


def test_what_is_not_there(folder):
    with pytest.raises(DataError, match=r"there is no file '.*nope\.csv'"):
        find_paths(str(folder / "nope.csv"))
    with pytest.raises(DataError, match=r"there is no file '.*z\*\.csv'"):
        find_paths(str(folder / "z*.csv"))
    (folder / "bare").mkdir()
    with pytest.raises(DataError, match="bare holds no files"):
        find_paths(folder / "bare")


def test_a_file_is_still_the_same(folder):
    path = str(folder / "a.csv")
    file = DataFile.at(path)
    assert file.require() == path
    assert DataFile.at(path).token == file.token


def test_a_file_that_was_written_anew(folder):
    path = str(folder / "a.csv")
    file = DataFile.at(path)
    pathlib.Path(path).write_text("x\n1\n2\n")
    with pytest.raises(DataError, match=r"a\.csv has changed since the table was read: read it again"):
        file.require()
    assert DataFile.at(path).token != file.token


def test_a_file_of_the_same_size_but_another_time(folder):
    path = str(folder / "a.csv")
    file = DataFile.at(path)
    os.utime(path, ns=(0, file.modified + 1))
    with pytest.raises(DataError, match="has changed"):
        file.require()


def test_a_file_that_is_gone(folder):
    file = DataFile.at(str(folder / "a.csv"))
    os.remove(folder / "a.csv")
    with pytest.raises(DataError, match=r"a\.csv is gone"):
        file.require()
    with pytest.raises(DataError, match=r"a\.csv cannot be opened: No such file"):
        DataFile.at(str(folder / "a.csv"))


def test_names_in_messages():
    assert name_of(["a"]) == "a"
    assert name_of(["a", "b", "c"]) == "a and 2 more"
    assert unpacked_name("/tmp/Data.CSV.gz") == "data.csv"
    assert unpacked_name("plain.tsv") == "plain.tsv"
    assert first_line(ValueError("one.\ntwo")) == "one"
    assert first_line(KeyError()) == "KeyError"


def test_files_must_have_the_same_columns_in_any_order():
    same_columns(["p", "q"], [["a", "b"], ["b", "a"]])
    with pytest.raises(DataError, match=r"^q has no column 'b', which p has$"):
        same_columns(["p", "q"], [["a", "b"], ["a"]])
    with pytest.raises(DataError, match=r"^q has a column 'c', which p has not$"):
        same_columns(["p", "q"], [["a", "b"], ["a", "b", "c"]])
