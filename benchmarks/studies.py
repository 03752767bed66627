"""`python -m benchmarks.studies [--only wide,long] [--budget 60] [--out FILE]`: whole studies beside scikit-learn.

Seven tables that are made here. Each is studied by `novacula learn` as a process of its own, so that reading, loading
and the report count; then scikit-learn's gradient boosting, random forest and logistic or ridge regression are fitted
on the folds of that study, with the usual preparation, on as many cores.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
TARGET = "y"


def wide(rng: np.random.Generator) -> pd.DataFrame:
    """60 rows of 5,000 numbers, five of which decide."""
    X = rng.normal(size=(60, 5000))
    y = np.where(X[:, :5].sum(axis=1) + 0.5 * rng.normal(size=60) > 0, "a", "b")
    return pd.DataFrame(X, columns=[f"g{j}" for j in range(5000)]).assign(y=y)


def long(rng: np.random.Generator) -> pd.DataFrame:
    """300,000 rows: 18 numbers, a column of 5,000 categories, a date."""
    n, category = 300_000, rng.integers(0, 5000, 300_000)
    when = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 3 * 365 * 24, n), "h")
    X = rng.normal(size=(n, 18))
    score = rng.normal(size=5000)[category] + X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + when.month.isin([6, 7, 8])
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(18)])
    frame["place"], frame["when"] = [f"p{c}" for c in category], when.strftime("%Y-%m-%d %H:%M")
    return frame.assign(y=np.where(score + rng.logistic(size=n) > 1, "late", "on time"))


def text(rng: np.random.Generator) -> pd.DataFrame:
    """3,000 short texts of two kinds."""
    words = np.array([f"word{j}" for j in range(2000)])
    common = 1.0 / np.arange(1, 2001)
    rows, labels = [], rng.choice(["ham", "spam"], 3000, p=[0.8, 0.2])
    for label in labels:
        odds = common * np.where((np.arange(2000) % 17 == 0) & (label == "spam"), 4.0, 1.0)
        rows.append(" ".join(rng.choice(words, rng.integers(5, 30), p=odds / odds.sum())))
    return pd.DataFrame({"message": rows, "length": [len(row) for row in rows], "y": labels})


def rare(rng: np.random.Generator) -> pd.DataFrame:
    """40,000 rows of 12 numbers; one of 200 is of the second class."""
    X = rng.normal(size=(40_000, 12))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * rng.normal(size=40_000)
    return pd.DataFrame(X, columns=list("abcdefghijkl")).assign(
        y=np.where(score > np.quantile(score, 0.995), "fraud", "fine")
    )


def skewed(rng: np.random.Generator) -> pd.DataFrame:
    """8,000 prices with a long tail, of numbers and categories."""
    n, kind = 8000, rng.integers(0, 12, 8000)
    area, age = rng.gamma(4.0, 25.0, n), rng.integers(0, 90, n)
    log = 3.0 + 0.9 * np.log(area) - 0.006 * age + rng.normal(size=12)[kind] * 0.3 + 0.25 * rng.normal(size=n)
    return pd.DataFrame(
        {
            "area": area.round(1),
            "age": age,
            "kind": [f"k{j}" for j in kind],
            "noise": rng.normal(size=n),
            "y": np.exp(log),
        }
    )


def classes(rng: np.random.Generator) -> pd.DataFrame:
    """5,000 rows of 50 classes."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        5000,
        20,
        n_informative=12,
        n_classes=50,
        n_clusters_per_class=1,
        class_sep=1.5,
        random_state=int(rng.integers(9)),
    )
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(20)]).assign(y=[f"k{label}" for label in y])


def broad(rng: np.random.Generator) -> pd.DataFrame:
    """10,000 rows of 300 numbers, and a number to predict."""
    X = rng.normal(size=(10_000, 300))
    y = X[:, :10] @ rng.normal(size=10) + 2 * np.sin(3 * X[:, 0]) + rng.normal(size=10_000)
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(300)]).assign(y=y)


TABLES: dict[str, Callable[[np.random.Generator], pd.DataFrame]] = {
    one.__name__: one for one in (wide, long, text, rare, skewed, classes, broad)
}
METRICS = {"rare": "auc"}
"""What a table is measured by, if not by the error rate or by RMSE."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse, study, and print a row for each table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studies", description="Studies beside scikit-learn.")
    parser.add_argument("--only", default=",".join(TABLES), help="tables, with commas between them")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds that a study may take")
    parser.add_argument("--rivals", type=float, default=900.0, help="seconds after which no rival is begun")
    parser.add_argument("--out", type=Path, help="a file for the numbers, as JSON")
    chosen = parser.parse_args(arguments)
    rows = []
    print(
        "| table | wall | first row | peak memory | chosen | error ± s.e. | best of scikit-learn's ± s.e. | its time |"
    )
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in chosen.only.split(","):
        row = measure(name, chosen.budget, chosen.rivals)
        rows.append(row)
        best = min(row["rivals"], key=lambda rival: rival["error"], default=None)
        rival, seconds = "", ""
        if best is not None:
            rival = f"{best['name']} {best['error']:.4g} ± {best['standard_error']:.2g}"
            seconds = f"{best['seconds']:.1f} s"
        print(
            f"| {name} | {row['wall']:.1f} s | {row['first']:.1f} s | {row['memory'] / 1e9:.2f} GB | {row['chosen']} | "
            f"{row['error']:.4g} ± {row['standard_error']:.2g} | {rival} | {seconds} |",
            flush=True,
        )
        if chosen.out is not None:
            chosen.out.write_text(json.dumps(rows, indent=1))


def measure(name: str, budget: float, patience: float) -> dict[str, Any]:
    """Study a table, and fit the rivals on the folds of that study.

    What else takes memory is done in processes of its own: the peak of a process begins with that of its parent.
    """
    metric = METRICS.get(name)
    with TemporaryDirectory(prefix="novacula-studies-") as folder:
        path, out = Path(folder) / f"{name}.csv", Path(folder) / "run"
        apart(write, name, path)
        row = study(path, out, budget, metric)
        result = json.loads((out / "study.json").read_text())
        entry = next(one for one in result["leaderboard"] if one["learner"] == result["chosen"] and one["chosen"])
        row |= {"table": name, "chosen": entry["name"], "size": entry["size"], "error": entry["error"],
                "standard_error": entry["standard_error"], "findings": len(result["findings"])}  # fmt: skip
        row["rivals"] = apart(beside, path, metric, patience)
    return row


def apart(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function, called in a new process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def write(name: str, path: Path) -> None:
    """Make a table, and write it."""
    TABLES[name](np.random.default_rng(0)).to_csv(path, index=False)


def study(path: Path, out: Path, budget: float, metric: str | None) -> dict[str, Any]:
    """`novacula learn` as a process: its time, when the first row came, and the memory of its largest process."""
    command = [sys.executable, "-m", "novacula", "learn", str(path), "--target", TARGET, "--out", str(out)]
    command += ["--budget", str(budget), *(["--metric", metric] if metric else [])]
    started, first = time.perf_counter(), float("nan")
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    for line in child.stderr:
        if ": " in line and "±" in line and first != first:
            first = time.perf_counter() - started
    _, status, usage = os.wait4(child.pid, 0)  # which counts the processes that it waited for, too
    if status:
        raise RuntimeError(f"the study of {path.name} ended with exit code {os.waitstatus_to_exitcode(status)}")
    return {"wall": time.perf_counter() - started, "first": first, "memory": usage.ru_maxrss * 1024}


def beside(path: Path, metric: str | None, patience: float) -> list[dict[str, Any]]:
    """The rivals' errors on the folds of the study."""
    import novacula as nv
    from novacula.evaluate.intervals import standard_error
    from novacula.study.asking import ask

    question = ask(nv.read(path, TARGET), folds=None, test=0.2, metric=metric, task=None, seed=0)
    frame = question.train.X.to_pandas().drop(columns=TARGET)
    y, measure, started, rows = question.train.y, question.metric, time.perf_counter(), []
    for name, model in rivals(frame, question.task).items():
        if time.perf_counter() - started > patience:
            break
        begun, errors = time.perf_counter(), []
        for train, held_out in question.folds:
            fitted = model().fit(frame.iloc[train], y[train])
            X = frame.iloc[held_out]
            answers = fitted.predict_proba(X) if measure.needs in ("scores", "probabilities") else fitted.predict(X)
            errors.append(measure.error(y[held_out], answers, getattr(fitted, "classes_", None)))
        seconds = time.perf_counter() - begun
        rows.append(
            {
                "name": name,
                "error": float(np.mean(errors)),
                "standard_error": float(standard_error(np.array(errors))),
                "seconds": seconds,
            }
        )
    return rows


def rivals(frame: pd.DataFrame, task: str) -> dict[str, Callable[[], Any]]:
    """scikit-learn's usual learners behind the usual preparation."""
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

    words = [c for c in frame.columns if str(frame[c].dtype) in ("object", "str", "string")]
    texts = [c for c in words if frame[c].str.contains(" ").mean() > 0.5]
    codes = [
        c
        for c in frame.columns
        if c not in texts
        and not pd.api.types.is_numeric_dtype(frame[c])
        and not pd.api.types.is_datetime64_any_dtype(frame[c])
    ]
    numbers = [c for c in frame.columns if c not in [*texts, *codes]]

    def prepared(model: Any, encoder: Any, scaled: bool, dense: bool) -> Any:
        parts = [("numbers", StandardScaler() if scaled else "passthrough", numbers), ("codes", encoder, codes)]
        parts += [(c, TfidfVectorizer(max_features=2000), c) for c in texts]
        return make_pipeline(ColumnTransformer(parts, sparse_threshold=0.0 if dense else 0.3), model)

    def ordinal() -> Any:
        return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)

    def one_hot() -> Any:
        return OneHotEncoder(handle_unknown="ignore", min_frequency=5)

    if task == "classification":
        return {
            "HistGradientBoosting": lambda: prepared(
                HistGradientBoostingClassifier(random_state=0), ordinal(), False, True
            ),
            "random forest": lambda: prepared(
                RandomForestClassifier(n_jobs=-1, random_state=0), ordinal(), False, True
            ),
            "logistic regression": lambda: prepared(LogisticRegression(max_iter=1000), one_hot(), True, False),
        }
    return {
        "HistGradientBoosting": lambda: prepared(HistGradientBoostingRegressor(random_state=0), ordinal(), False, True),
        "random forest": lambda: prepared(RandomForestRegressor(n_jobs=-1, random_state=0), ordinal(), False, True),
        "ridge regression": lambda: prepared(RidgeCV(alphas=np.logspace(-3, 3, 7)), one_hot(), True, True),
    }


if __name__ == "__main__":
    main()
