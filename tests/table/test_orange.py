"""Orange's tables: three records of header, or letters before names."""

import pytest

import novacula as nv
from novacula.errors import DataError

ROWS = "".join(f"{i}.5\tc{i % 3}\t{'no' if i % 2 else 'yes'}\tr{i}\t2020-01-0{i % 9 + 1}\t{i}\n" for i in range(30))
THREE = "age\tcity\tbought\tname\twhen\tskip\nc\td\tno yes\tstring\ttime\tcontinuous\n\t\tclass\tmeta\t\ti\n" + ROWS
LETTERS = "C#age\tD#city\tcD#bought\tmS#name\tT#when\tiC#skip\n" + ROWS


@pytest.mark.parametrize("text", [THREE, LETTERS, THREE.replace("\n", "\r\n")])
@pytest.mark.parametrize("size", [40, 1 << 20])
def test_kinds_and_roles(tmp_path, small_ranges, text, size):
    small_ranges(size)
    (tmp_path / "t.tab").write_bytes(text.encode())
    table = nv.read(tmp_path / "t.tab")
    assert table.schema.target == ("bought",)
    assert [column.name for column in table.schema.features] == ["age", "city", "when"]
    assert [column.kind_word for column in table.schema.features] == ["numeric", "categorical", "date"]
    assert table.schema["bought"].categories == ("no", "yes")
    assert table.to_chunk().numeric[:, 0].tolist() == [i + 0.5 for i in range(30)]
    assert "column 'name' is marked 'meta' and is left out: say keep=['name'] to keep it" in table.notes
    assert nv.read(tmp_path / "t.tab", keep=["skip"]).schema["skip"].kind == "numeric"
    assert nv.read(tmp_path / "t.tab", target="city").schema.target == ("city",)


def test_a_value_that_was_not_announced(tmp_path):
    (tmp_path / "t.tab").write_text(THREE + "1\tc1\tmaybe\tx\t2020-01-01\t1\n")
    with pytest.raises(
        DataError, match=r"row 31 of .* holds 'maybe' in column 'bought', which is none of its 2 categories"
    ):
        nv.read(tmp_path / "t.tab").to_chunk()


def test_a_plain_table_of_tabs(tmp_path):
    (tmp_path / "t.tab").write_text("a\tb\n1\tx\n2\ty\n3\tz\n")
    table = nv.read(tmp_path / "t.tab")
    assert (len(table), table.schema.target, table.notes) == (3, (), ())
