"""Files of each format, run on rows: what they predict, and the probabilities where they give them."""

from __future__ import annotations

import atexit
import ctypes
import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from novacula.export import export_model
from tests.export.cases import Case, records
from tests.export.json_reader import JsonModel

Found = tuple[list[Any], Any]


def run_python(found: Case) -> Found:
    """The source is run as it is."""
    names: dict[str, Any] = {}
    exec(compile(str(export_model(found.model, "python")), "scorer.py", "exec"), names)
    rows = records(found.rows)
    chances = [names["predict_proba"](row) for row in rows] if "predict_proba" in names else None
    return [names["predict"](row) for row in rows], chances


def run_json(found: Case) -> Found:
    """The steps are carried out by a reader that stands in the tests."""
    reader = JsonModel(json.loads(str(export_model(found.model, "json"))))
    said = [reader.answers(row) for row in records(found.rows)]
    return [answer for answer, _ in said], None if said[0][1] is None else [chances for _, chances in said]


# --- C --------------------------------------------------------------------------------------------------------------


def compiled(source: str) -> ctypes.CDLL:
    """The file as a library, compiled with every warning an error."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler on this machine")
    with tempfile.TemporaryDirectory() as folder:
        path, library = Path(folder, "model.c"), Path(folder, "model.so")
        path.write_text(source)
        strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
        subprocess.run([compiler, *strict, "-shared", "-fPIC", "-o", library, path, "-lm"], check=True, timeout=60)
        return ctypes.CDLL(str(library))


def run_c(found: Case) -> Found:
    """The function is called for each row."""
    model, rows = found
    library = compiled(str(export_model(model, "c")))
    classes = model.classes_.tolist() if hasattr(model, "classes_") else None
    numeric = [column.name for column in model.schema_.of_kind("numeric")]
    coded = [column.name for column in model.schema_.of_kind("categorical")]
    answers, written = [], []
    for row in records(rows):
        values = [np.nan if row[name] is None else float(row[name]) for name in numeric]
        numbers = (ctypes.c_double * max(len(numeric), 1))(*values)
        texts = [None if row[name] is None else str(row[name]).encode() for name in coded]
        categories = (ctypes.c_char_p * max(len(coded), 1))(*texts)
        out = (ctypes.c_double * (1 if classes is None else len(classes)))(*[np.nan] * (len(classes or ".")))
        answers.append(library.model_predict(numbers, categories, out))
        written.append(list(out))
    if classes is None:
        return [number for (number,) in written], None
    held = (ctypes.c_char_p * len(classes)).in_dll(library, "model_classes")
    assert [word.decode() for word in held] == [str(label) for label in classes]
    chances = None if np.isnan(written).all() else written
    return [classes[place] if place >= 0 else None for place in answers], chances


# --- SQL ------------------------------------------------------------------------------------------------------------


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def filled(execute: Callable[..., Any], many: Callable[..., Any], rows: pd.DataFrame, words: str) -> None:
    """Make the table `data` of the rows, with their numbers."""
    kinds = [f"{quoted(name)} {'DOUBLE' if rows[name].dtype == float else words}" for name in rows]
    execute(f"CREATE TABLE data ({', '.join(['place INTEGER', *kinds])})")
    data = rows.astype(object).where(rows.notna(), None)
    values = [[place, *row] for place, row in enumerate(data.itertuples(index=False))]
    many(f"INSERT INTO data VALUES ({', '.join('?' * (len(rows.columns) + 1))})", values)


def selected(rows: list[tuple[Any, ...]]) -> Found:
    _, answers, *chances = zip(*sorted(rows), strict=True)
    return list(answers), np.transpose(chances) if chances else None


def run_sqlite(found: Case) -> Found:
    """The statement is run over a table in memory."""
    with closing(sqlite3.connect(":memory:")) as base:
        filled(base.execute, base.executemany, found.rows, "TEXT")
        return selected(base.execute(str(export_model(found.model, "sql", keep=["place"]))).fetchall())


def run_duckdb(found: Case) -> Found:
    """The same in DuckDB, whose rows come as a frame."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as base:
        data = found.rows.astype(object).where(found.rows.notna(), None)
        for name in data:
            data[name] = pd.to_numeric(data[name]) if found.rows[name].dtype == float else data[name]
        data.insert(0, "place", range(len(data)))
        base.register("data", data)
        nan = ", ".join(
            f"CASE WHEN isnan({quoted(name)}) THEN NULL ELSE {quoted(name)} END AS {quoted(name)}"
            if found.rows[name].dtype == float
            else quoted(name)
            for name in found.rows
        )
        base.execute(f"CREATE TABLE held AS SELECT place, {nan} FROM data")
        return selected(base.execute(str(export_model(found.model, "sql", table="held", keep=["place"]))).fetchall())


# --- ONNX and PMML --------------------------------------------------------------------------------------------------


def run_onnx(found: Case) -> Found:
    """The graph is checked by ONNX itself, and run by its runtime on all rows at once."""
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    content = export_model(found.model, "onnx")
    onnx.checker.check_model(onnx.load_model_from_string(content), full_check=True)
    session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    given = {}
    for column in found.model.schema_.features:
        values = found.rows[column.name]
        if column.kind == "numeric":
            given[column.name] = values.to_numpy(np.float64)[:, None]
        else:
            given[column.name] = np.array(["" if v is None or v != v else str(v) for v in values], object)[:, None]
    names = [output.name.rstrip("_") for output in session.get_outputs()]
    said = dict(zip(names, session.run(None, given), strict=True))
    if "prediction" in said:
        return said["prediction"][:, 0].tolist(), None
    by_text = {str(label): label for label in found.model.classes_.tolist()} | {"": None}
    return [by_text[word] for word in said["label"][:, 0]], said.get("probabilities")


@cache
def java() -> Any:
    """JPMML, the reference evaluator of PMML, in a process of its own that ends with this one.

    Inside this one the Java machine would take the signals of deep recursions for its own, and crash.
    """
    if shutil.which("java") is None or importlib.util.find_spec("jpmml_evaluator") is None:
        pytest.skip("JPMML runs these where there are Java and the package jpmml-evaluator, whose licence keeps it out")
    from jpmml_evaluator import _classpath
    from jpmml_evaluator.py4j import Py4JBackend
    from py4j.java_gateway import JavaGateway

    gateway = JavaGateway.launch_gateway(classpath=os.pathsep.join(_classpath([])), die_on_exit=True)
    atexit.register(gateway.shutdown)
    return Py4JBackend(gateway)


def run_pmml(found: Case) -> Found:
    """The file is checked against the schema, and its model evaluated."""
    backend = java()
    from jpmml_evaluator import make_evaluator

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.pmml")
        path.write_text(str(export_model(found.model, "pmml")), encoding="utf-8")
        evaluator = make_evaluator(str(path), backend=backend).verify()
        results = evaluator.evaluateAll(found.rows.astype(object).where(found.rows.notna(), None))
    if not hasattr(found.model, "classes_"):
        return results["prediction"].astype(float).tolist(), None
    labels = found.model.classes_.tolist()
    by_text = {str(label): label for label in labels} | {None: None}
    names = [f"probability({label})" for label in labels]
    chances = results[names].to_numpy(np.float64) if names[0] in results else None
    return [by_text[word] for word in results["prediction"]], chances


RUNNERS: dict[str, Callable[[Case], Found]] = {
    "python": run_python,
    "json": run_json,
    "c": run_c,
    "sqlite": run_sqlite,
    "duckdb": run_duckdb,
    "onnx": run_onnx,
    "pmml": run_pmml,
}
