"""First records: names or data, and names of rows."""

import pandas as pd
import pytest

import novacula as nv
from novacula.table.header import names_columns, row_name_column

DATA = {
    "numbers": "5.1,3.5,0.2\n4.9,3.0,0.2\n",
    "one row": "5.1,3.5,0.2\n",
    "numbers and words": "39,clerk,<=50K\n50,farmer,>50K\n38,clerk,<=50K\n",
    "words again": "vhigh,low,x\nvhigh,high,y\nlow,low,x\n",
    "label and text": "ham,go until\nspam,free entry\nham,ok lar\n",
    "dates": "2020-01-02,4\n2020-01-03,6\n",
    "equal": "0,0,1\n1,0,0\n",
    "falling": "9,3\n2,5\n",
    "gaps": "5.1,?,a\n4.9,1.0,b\n6.0,2.0,a\n",
}
NAMES = {
    "words above numbers": "a,b\n1,2\n",
    "words above words": "job,city\nclerk,Rome\nfarmer,Rome\n",
    "years": "country,2019,2020\nKenya,1.5,2.5\nPeru,1.0,2.0\n",
    "years alone": "2019,2020\n1.5,2.5\n",
    "counted": "0,1,2\n4,5,6\n",
    "one column of numbers": "7\n8\n",
    "one name": "39,age\n50,4\n38,5\n",
    "names only": "a,b\n",
    "a name above dates": "when,n\n2020-01-02,4\n",
    "words in one column": "word\nother\n",
    "a gap": "a,\n1,2\n",
}


def split(text):
    return [line.split(",") for line in text.splitlines()]


@pytest.mark.parametrize("case", DATA)
def test_data_are_no_names(tmp_path, case):
    first, *others = split(DATA[case])
    assert not names_columns(first, others)
    (tmp_path / "t.csv").write_text(DATA[case])
    table = nv.read(tmp_path / "t.csv")
    width = len(first)
    assert table.schema.names == tuple(f"x{j}" for j in range(width))
    assert len(table) == 1 + len(others)
    assert f"the columns are called x0 to x{width - 1}: say header=True" in table.notes[0]
    named = nv.read(tmp_path / "t.csv", names=[f"c{j}" for j in range(width)])
    assert (len(named), [note for note in named.notes if "first record" in note]) == (1 + len(others), [])


@pytest.mark.parametrize("case", NAMES)
def test_names_are_no_data(case):
    first, *others = split(NAMES[case])
    assert names_columns(first, others)


def test_what_is_stated_is_not_found_out(tmp_path):
    (tmp_path / "t.csv").write_text("5.1,3.5\n4.9,3.0\n")
    table = nv.read(tmp_path / "t.csv", header=True)
    assert (table.schema.names, table.notes) == (("5.1", "3.5"), ())
    (tmp_path / "u.csv").write_text("a,b\nc,d\n")
    assert nv.read(tmp_path / "u.csv", header=False).schema["x0"].categories == ("a", "c")


def test_the_first_file_decides_for_all(tmp_path):
    (tmp_path / "p.csv").write_text("5.1,3.5\n4.9,3.0\n")
    (tmp_path / "q.csv").write_text("1,2\n")  # which would be names by itself
    assert len(nv.read(tmp_path)) == 3


@pytest.mark.parametrize("first", ['"",', ",", '"Unnamed: 0",', ""])
def test_names_of_rows_are_left_out(tmp_path, first):
    (tmp_path / "t.csv").write_text(f'{first}"mpg","cyl"\n"Mazda",21.0,6\n"Fiat",32.4,4\n')
    table = nv.read(tmp_path / "t.csv")
    assert table.schema.names == ("row name", "mpg", "cyl")
    assert [column.name for column in table.schema.features] == ["mpg", "cyl"]
    assert "column 1" in table.notes[0]
    assert "say keep=['row name'] to keep it" in table.notes[0]
    kept = nv.read(tmp_path / "t.csv", keep="row name")
    assert (kept.schema["row name"].categories, kept.notes) == (("Fiat", "Mazda"), ())
    assert nv.read(tmp_path / "t.csv", drop="row name").schema.names == ("mpg", "cyl")


def test_what_pandas_writes_with_its_index(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5], "row name": ["x", "y"]})
    frame.to_csv(tmp_path / "t.csv")
    assert nv.read(tmp_path / "t.csv").schema.names == ("row name_", "a", "row name")


def test_an_unnamed_column_further_on_is_refused(tmp_path):
    assert row_name_column(["a", ""], [["1", "2"]]) == (["a", ""], False)
    (tmp_path / "t.csv").write_text("a,,c\n1,2,3\n")
    with pytest.raises(
        nv.errors.DataError, match=r"has no name for column 2: say names=\['a', 'column 2', 'c'\] and header"
    ):
        nv.read(tmp_path / "t.csv")


@pytest.mark.parametrize("names", ["a,b,y", "a,b,y,"])
def test_a_delimiter_at_the_ends_of_lines_is_no_column(tmp_path, names):
    (tmp_path / "t.csv").write_text(names + "\n" + "".join(f"0,{i},{'uv'[i % 2]},\n" for i in range(9)))
    table = nv.read(tmp_path / "t.csv", "y")
    assert [column.kind for column in table.schema] == ["numeric", "numeric", "categorical", "ignored"]
    assert table.schema["y"].categories == ("u", "v")
    assert "column 4 of" in table.notes[0]
    assert "neither a name nor a value" in table.notes[0]
    assert nv.read(tmp_path / "t.csv", keep=["column 4"]).schema["column 4"].note == "no values"


def test_a_first_record_may_lack_values(tmp_path):
    (tmp_path / "t.csv").write_text("".join(f"{i or ''},3.{i},{'AB'[i % 2]}\n" for i in range(9)))
    table = nv.read(tmp_path / "t.csv")
    assert (len(table), table.schema.names, table.schema["x0"].missing) == (9, ("x0", "x1", "x2"), 1)


def test_a_record_of_money_and_dates_is_data_whatever_number_it_holds():
    rows = [[f"{i + 1}.777,00 €", f"{i}%", f"{i + 1}.01.2022", str(i), "ja"] for i in range(9)]
    assert not names_columns(rows[0], rows[1:])
