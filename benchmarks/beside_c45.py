"""Accuracy and size of C4.5-like trees on public data sets: `python -m benchmarks.beside_c45 FOLDER`.

FOLDER holds the sets as they are published, each in a folder of its own: car, house-votes-84, hepatitis, mushroom, zoo,
lenses, penguins, adult. Accuracy is by ten stratified folds, that of adult by its own test rows; the number of nodes is
that of the tree on all (training) rows, as C4.5 counts them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from novacula.tree import DecisionTreeClassifier, RuleListClassifier

C45 = {
    "car": (93.0, 174),
    "house-votes-84": (96.5, 11),
    "hepatitis": (80.7, 19),
    "mushroom": (100.0, 29),
    "zoo": (92.1, 16),
    "lenses": (83.3, 6),
    "penguins": (97.4, 14),
    "adult": (85.3, 722),
}
"""What release 8 reaches with pruning: accuracy in per cent, and nodes."""
TREE = {"criterion": "gain_ratio", "missing": "fractional", "prune": "pessimistic"}


def car(folder: Path) -> tuple[Any, Any]:
    """Six categories of a car, and how acceptable it is."""
    frame = pd.read_csv(folder / "car" / "car.data", dtype=str)
    return frame.drop(columns="classvalue"), frame["classvalue"]


def votes(folder: Path) -> tuple[Any, Any]:
    """`?` is a third vote here."""
    frame = pd.read_csv(folder / "house-votes-84" / "house-votes-84.data", dtype=str, skipinitialspace=True)
    return frame.drop(columns="Class"), frame["Class"]


def hepatitis(folder: Path) -> tuple[Any, Any]:
    """Nineteen findings, many of them unknown; those of two values are categories."""
    frame = pd.read_csv(folder / "hepatitis" / "hepatitis.data", na_values="?")
    target = frame.columns[0]
    coded = [name for name in frame.columns[1:] if frame[name].nunique() <= 2]
    frame[coded] = frame[coded].map(lambda value: None if pd.isna(value) else f"v{int(value)}").astype(object)
    return frame.drop(columns=target), frame[target].astype(str)


def mushroom(folder: Path) -> tuple[Any, Any]:
    """Twenty-two categories of a mushroom, edible or not."""
    frame = pd.read_csv(folder / "mushroom" / "agaricus-lepiota.data", dtype=str)
    return frame.drop(columns="edibility"), frame["edibility"]


def zoo(folder: Path) -> tuple[Any, Any]:
    """Fifteen yes-or-no attributes and the number of legs."""
    from scipy.io import arff

    frame = pd.DataFrame(arff.loadarff(folder / "zoo" / "zoo.arff")[0])
    words = frame.select_dtypes(object).columns
    frame[words] = frame[words].map(lambda value: value.decode())
    return frame.drop(columns=["animal", "type"]), frame["type"]


def lenses(folder: Path) -> tuple[Any, Any]:
    """Four categories of a patient."""
    frame = pd.read_csv(folder / "lenses" / "lenses.data", sep=r"\s+", header=None, dtype=str)
    return frame[[1, 2, 3, 4]].rename(columns=lambda j: f"a{j}").map(lambda v: f"v{v}"), frame[5]


def penguins(folder: Path) -> tuple[Any, Any]:
    """Measurements of penguins, some unknown, and their species."""
    frame = pd.read_csv(folder / "penguins" / "penguins.csv").drop(columns="year", errors="ignore")
    return frame.drop(columns=["species", "rowid"], errors="ignore"), frame["species"]


def adult(folder: Path, part: str = "data", known: bool = True) -> tuple[Any, Any]:
    """Rows without unknowns, as the published figures were made."""
    frame = pd.read_csv(
        folder / "adult" / f"adult.{part}", header=None, skipinitialspace=True, na_values="?", comment="|"
    )
    frame = frame.dropna() if known else frame
    return frame.drop(columns=14).rename(columns=lambda j: f"a{j}"), frame[14].str.rstrip(".")


SETS: dict[str, Callable[[Path], tuple[Any, Any]]] = {
    "car": car,
    "house-votes-84": votes,
    "hepatitis": hepatitis,
    "mushroom": mushroom,
    "zoo": zoo,
    "lenses": lenses,
    "penguins": penguins,
}


def folds(model: Any, X: Any, y: Any) -> float:
    """The share of rows, in per cent, that are predicted right from the nine folds without them."""
    splitter = StratifiedKFold(10, shuffle=True, random_state=0)
    return 100 * float(np.mean(cross_val_predict(model, X, y, cv=splitter) == np.asarray(y)))


def main() -> None:
    """Print one line per data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    print("| set | C4.5, nodes | tree, nodes | rules, how many |\n|---|---|---|---|")
    for name in (*SETS, "adult"):
        tree, rules = DecisionTreeClassifier(**TREE), RuleListClassifier(min_samples_leaf=2)
        if name == "adult":
            (X, y), (X_test, y_test) = adult(asked.folder), adult(asked.folder, "test")
            accuracy, ruled = (100 * model.fit(X, y).score(X_test, y_test) for model in (tree, rules))
        else:
            X, y = SETS[name](asked.folder)
            accuracy, ruled = folds(tree, X, y), folds(rules, X, y)
        nodes, count = len(tree.fit(X, y).tree_), len(rules.fit(X, y).rules_)
        theirs, size = C45[name]
        print(f"| {name} | {theirs}, {size} | {accuracy:.1f}, {nodes} | {ruled:.1f}, {count} |", flush=True)


if __name__ == "__main__":
    main()
