"""Damaged table files: read, compared with what another reader says, and learned from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fuzz import table_files, table_oracle
from fuzz.table_damage import BINARY, TEXT, damaged
from fuzz.table_oracle import MARKERS, Columns
from fuzz.target import FuzzTarget, Misbehaviour, is_ours, pick

_FORMATS = (
    *(table_files.parquet, table_files.parquet, table_files.arrow, table_files.arrow),
    *(table_files.delimited, table_files.delimited, table_files.arff, table_files.svmlight),
    *(table_files.json_text, table_files.workbook, table_files.database, table_files.zipped),
)
_NOT_COMPARED = (".json", ".jsonl", ".xlsx", ".db", ".zip")
"""Files whose rows no other reader is asked for: they are read or refused, the same however they are cut."""
_BINARY_ENDINGS = (".parquet", ".arrow", ".feather", ".ipc", ".arrows")
_PACKINGS = ("", "", "", ".gz", ".bz2", ".zst", ".lz4")
_WHOLE = "whole"
_DELIMITERS = (",", "\t", ";", "|")
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity)", re.ASCII | re.IGNORECASE)
_SMALL = {
    "novacula.table.delimited.PLAIN_BYTES": 0,
    "novacula.table.delimited.COLUMN_BYTES": 0,
    "novacula.table.textfile.RANGE_BYTES": 60,
    "novacula.table.columnar.RUN_BYTES": 1,
}
"""Sizes of the library, made so small that a small file is cut into many parts and read by the compiled parser."""


class Target(FuzzTarget):
    """Files of every format that `novacula.read` takes."""

    def ready(self) -> None:
        """Read a valid file of each format."""
        random = np.random.default_rng(0)
        with TemporaryDirectory() as folder:
            for make in _FORMATS:
                ending, data = make(random)
                path = Path(folder) / f"{_WHOLE}{ending}"
                path.write_bytes(data)
                self.attempt(path)

    def write(self, random: np.random.Generator, folder: Path) -> Path:
        """A valid file, damaged before or after it is compressed, or now and then not at all."""
        ending, data = pick(random, _FORMATS)(random)
        if random.random() < 0.03:
            path = folder / f"{_WHOLE}{ending}"
        elif ending in (*_BINARY_ENDINGS, ".xlsx", ".db", ".zip"):
            data, path = damaged(random, data, BINARY), folder / f"damaged{ending}"
        else:
            packing, inside = pick(random, _PACKINGS), random.random() < 0.7
            data = table_files.packed(packing, damaged(random, data, TEXT) if inside else data)
            data = data if inside and packing else damaged(random, data, BINARY) if packing else data
            path = folder / f"damaged{ending}{packing}"
        path.write_bytes(data)
        return path

    def attempt(self, path: Path) -> str:
        """Read it as it is and cut small, compare, learn."""
        import novacula as nv

        outcomes = []
        for sizes in ({}, _SMALL):
            with _set(sizes):
                try:
                    _unaided(path)
                    table = nv.read(path, progress=False, header=True, encoding="utf-8")
                    columns = _columns(table)
                except Exception as error:
                    if not is_ours(error) or path.name.startswith(_WHOLE):
                        raise
                    outcomes.append("refused")
                    continue
                ending = next(ending for ending in reversed(path.suffixes) if ending not in _PACKINGS)
                if ending not in _NOT_COMPARED and all(column.kind != "ignored" for column in table.schema):
                    _require_same(table, columns, path)
                outcomes.append(_learned(table) if sizes else "read")
        if outcomes.count("refused") == 1:
            raise Misbehaviour("refused or not, depending on how it was cut")
        return outcomes[-1]


def _unaided(path: Path) -> None:
    """Read a file of which nothing is said: encoding, names and kinds are found out, or it is refused."""
    import novacula as nv

    try:
        nv.read(path, progress=False).to_chunk()
    except Exception as error:
        if not is_ours(error):
            raise


@contextmanager
def _set(sizes: dict[str, int]) -> Iterator[None]:
    from importlib import import_module

    places = [(import_module(name.rpartition(".")[0]), name.rpartition(".")[2], size) for name, size in sizes.items()]
    kept = [getattr(module, name) for module, name, _ in places]
    for module, name, size in places:
        setattr(module, name, size)
    try:
        yield
    finally:
        for (module, name, _), value in zip(places, kept, strict=True):
            setattr(module, name, value)


# --- what was read ---------------------------------------------------------------------------------------------------


def _columns(table: Any) -> dict[str, Any]:
    """All columns as they came in chunks: numbers, categories and words, None or NaN where missing."""
    chunks, schema = list(table.chunks()), table.schema
    columns: dict[str, Any] = {}
    for j, column in enumerate(schema.of_kind("numeric")):
        columns[column.name] = np.concatenate([chunk.numeric[:, j] for chunk in chunks]).tolist()
    for j, column in enumerate(schema.of_kind("categorical")):
        codes = np.concatenate([chunk.codes[:, j] for chunk in chunks]).tolist()
        columns[column.name] = [None if code < 0 else column.categories[code] for code in codes]
    for j, column in enumerate(schema.of_kind("text")):
        columns[column.name] = [word for chunk in chunks for word in chunk.text[j]]
    if schema.of_kind("sparse"):
        from scipy.sparse import vstack

        columns["features"] = vstack([chunk.sparse for chunk in chunks])
        columns["target"] = np.concatenate([chunk.target for chunk in chunks])
    return columns


def _require_same(table: Any, found: dict[str, Any], path: Path) -> None:
    """Compare with another reader's columns."""
    ending = next(ending for ending in reversed(path.suffixes) if ending not in _PACKINGS)
    try:
        if ending == ".parquet":
            expected: list[Columns] = [table_oracle.parquet_columns(path)]
        elif ending in _BINARY_ENDINGS:
            expected = [table_oracle.arrow_columns(path)]
        elif ending == ".svm":
            return _require_same_pairs(found, *table_oracle.svmlight_rows(table_oracle.unpacked(path)))
        elif ending == ".arff":
            expected = [table_oracle.arff_columns(table_oracle.unpacked(path))]
        else:
            data = table_oracle.unpacked(path)
            delimiters = "\t" if ending == ".tsv" else _DELIMITERS
            expected = [c for d in delimiters if (c := table_oracle.delimited_columns(data, d)) is not None]
    except Exception as error:
        raise Misbehaviour(f"read what another reader refuses: {type(error).__name__}: {error}") from error
    differences = [_difference(table, found, columns) for columns in expected if set(columns) == set(found)]
    if not differences:
        raise Misbehaviour(f"columns {sorted(found)}, but another reader has {[list(c) for c in expected]}")
    if all(differences):
        raise Misbehaviour(differences[0])
    return None


def _difference(table: Any, found: dict[str, Any], expected: Columns) -> str:
    """Where columns differ first; empty if they do not."""
    is_text = table.source.is_text
    for name, values in expected.items():
        if len(found[name]) != len(values) or len(table) != len(values):
            return f"{len(found[name])} rows in column {name!r} and {len(table)} in all; there are {len(values)}"
        column = table.schema[name]
        markers = MARKERS - set(map(str, column.categories)) if is_text else set()
        missing = [value is None or (is_text and value.strip() in markers) for value in values]
        if column.missing != sum(missing):
            return f"{column.missing} missing values in column {name!r}; there are {sum(missing)}"
        for row, (ours, theirs, gone) in enumerate(zip(found[name], values, missing, strict=True)):
            if column.spelling is None and not _same(ours, None if gone else theirs, column.kind):
                return f"column {name!r}, row {row + 1}: {ours!r} where there is {theirs!r}"
    return ""


def _same(ours: Any, theirs: Any, kind: str) -> bool:
    if theirs is None:
        return ours is None or ours != ours
    if kind == "numeric":
        if isinstance(theirs, str):
            theirs = float(theirs.strip()) if _NUMBER.fullmatch(theirs.strip()) else math.nan
        return bool(ours == float(theirs) or math.isclose(ours, theirs, rel_tol=1e-15))
    if kind == "categorical" and isinstance(theirs, str):
        theirs = theirs.strip()
    return bool(ours == theirs or str(ours) == str(theirs))


def _require_same_pairs(found: dict[str, Any], labels: list[float], rows: list[dict[int, float]]) -> None:
    matrix = found["features"].tocsr()
    if found["target"].tolist() != labels:
        raise Misbehaviour(f"labels {found['target'].tolist()[:9]} where there are {labels[:9]}")
    first = min([1, *(index for row in rows for index in row)])
    for i, row in enumerate(rows):
        ours = matrix[[i]]
        pairs = dict(zip((ours.indices + first).tolist(), ours.data.tolist(), strict=True))
        if repr({k: v for k, v in sorted(pairs.items()) if v}) != repr({k: v for k, v in sorted(row.items()) if v}):
            raise Misbehaviour(f"row {i + 1}: {pairs} where there is {row}")


def _learned(table: Any) -> str:
    """Fit a learner that takes any column, and ask it."""
    from novacula.bayes import NaiveBayes

    names = [column.name for column in table.schema if column.kind == "categorical"]
    try:
        if not table.layout.target:
            if not names:
                return "read"
            table = table.with_target(names[-1])
        answers = NaiveBayes().fit(table).predict(table)
    except Exception as error:
        if is_ours(error):
            return "read, not learned"
        raise
    if len(answers) != len(table):
        raise Misbehaviour(f"{len(answers)} answers for {len(table)} rows")
    return "read and learned"
