"""What a tree says of itself hangs together: gains are those of its branches, bins are those of the sketch."""

import numpy as np
import pyarrow as pa
import pytest

from novacula.errors import ParameterError
from novacula.statistics import NodeCounts, QuantileSketch
from novacula.statistics.quantiles import column_bins
from novacula.table import Chunk, read
from novacula.tree import DecisionTreeClassifier
from novacula.tree.criterion import CRITERIA
from novacula.tree.holding_out import hold_out


@pytest.mark.parametrize("criterion", ["gain", "gini"])
@pytest.mark.parametrize("missing", ["most_common", "most_common_in_class"])
@pytest.mark.parametrize("nominal", ["multiway", "subset"])
def test_the_gain_is_that_of_the_branches(criterion, missing, nominal):
    """Equal weights make ties, and the groups of a partition may be swapped after it was judged: once a bug."""
    rng = np.random.default_rng(7)
    for _ in range(150):
        n = int(rng.integers(4, 40))
        words = rng.choice(["a", "b", "c", "d", None], (n, 2), p=[0.2, 0.2, 0.2, 0.2, 0.2])
        numbers = rng.choice([0.0, 1.0, 2.0, np.nan], n)
        X = pa.table({"w0": pa.array(words[:, 0]), "w1": pa.array(words[:, 1]), "x": pa.array(numbers)})
        model = DecisionTreeClassifier(criterion, missing, nominal).fit(X, rng.integers(0, 3, n))
        tree = model.tree_
        impurity, weight = CRITERIA[criterion].impurities(tree.counts), tree.weight
        for node in np.flatnonzero(~tree.is_leaf):
            branches = list(tree.children(int(node)))
            after = (weight[branches] * impurity[branches]).sum() / weight[node]
            assert tree.gain[node] == pytest.approx(impurity[node] - after, abs=1e-12)


@pytest.mark.parametrize("even", [False, True], ids=["weights", "no weights"])
@pytest.mark.parametrize("n_bins", [2, 7, 100])
def test_bins_in_memory_are_those_of_the_sketch(n_bins, even):
    rng = np.random.default_rng(n_bins)
    x = np.where(rng.random(500) < 0.1, np.nan, rng.normal(size=500).round(int(rng.integers(1, 4))))
    weight = np.full(500, 0.7) if even else rng.integers(0, 3, 500).astype(float)
    nothing = np.empty((500, 0), np.int32)
    parts = [Chunk(x[i : i + 90, None], nothing[i : i + 90], weight[i : i + 90]) for i in range(0, 500, 90)]
    sketch = sum((QuantileSketch.observe(part) for part in parts[1:]), QuantileSketch.observe(parts[0]))
    bins = column_bins(x, weight, n_bins)
    for mine, theirs in zip(bins, sketch.bins(n_bins)[0], strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_tree_on_bins_is_the_same_from_memory_and_files(tmp_path):
    import pyarrow.parquet as pq

    rng = np.random.default_rng(3)
    n = 1500
    X = {f"x{j}": np.where(rng.random(n) < 0.05, np.nan, rng.normal(size=n)) for j in range(4)}
    colour = rng.choice(["red", "green", "blue"], n)
    y = np.where(np.nan_to_num(X["x0"]) + (colour == "red") > rng.normal(size=n), "yes", "no")
    table = pa.table({**X, "colour": colour, "y": y})
    for part in range(3):
        pq.write_table(table.slice(500 * part, 500), tmp_path / f"{part}.parquet", row_group_size=100)
    for parameters in ({"max_bins": 16}, {"max_bins": 16, "missing": "most_common"}, {"max_bins": 40, "max_depth": 4}):
        whole = DecisionTreeClassifier(**parameters).fit(table.drop(["y"]), y)
        files = DecisionTreeClassifier(**parameters).fit(read(str(tmp_path / "*.parquet"), "y"))
        assert len(whole.tree_) > 10
        for name in ("feature", "child", "default", "otherwise", "arm_code", "arm_branch"):
            np.testing.assert_array_equal(getattr(whole.tree_, name), getattr(files.tree_, name))
        np.testing.assert_array_equal(whole.tree_.threshold, files.tree_.threshold)
        np.testing.assert_allclose(whole.tree_.counts, files.tree_.counts, rtol=1e-9)


def test_levels_with_many_nodes_take_several_passes(tmp_path, monkeypatch):
    """The counts of a pass are bounded; a small bound makes many passes and the same tree."""
    import pyarrow.csv

    from novacula.tree.growing import levels

    rng = np.random.default_rng(5)
    table = pa.table({"a": rng.integers(0, 30, 400), "b": rng.normal(size=400), "y": rng.integers(0, 2, 400)})
    pyarrow.csv.write_csv(table, tmp_path / "t.csv")
    rows = read(str(tmp_path / "t.csv"), "y")
    whole = DecisionTreeClassifier().fit(rows)
    monkeypatch.setattr(levels, "PASS_BYTES", 1)
    assert len(whole.tree_) == len(DecisionTreeClassifier().fit(rows).tree_) > 100


def test_node_counts_of_other_shapes_are_not_added():
    one = NodeCounts.zero(2, 3, 1, 2)
    assert (one + one).counts.shape == (2, 3, 2)
    with pytest.raises(ParameterError, match="cannot be added"):
        one + NodeCounts.zero(1, 3, 1, 2)


def test_rows_are_held_out_whatever_their_order():
    rng = np.random.default_rng(0)
    n = 200
    numeric, codes = rng.integers(0, 3, (n, 1)).astype(float), rng.integers(0, 2, (n, 1)).astype(np.int32)
    target = rng.integers(0, 2, n).astype(np.int32)
    chunk = Chunk(numeric, codes, np.ones(n), target=target)
    order = rng.permutation(n)
    mixed = Chunk(numeric[order], codes[order], np.ones(n), target=target[order])

    def held(chunk: Chunk, seed: int) -> list[tuple[float, ...]]:
        aside = hold_out(chunk, 0.3, seed)
        return sorted(map(tuple, np.column_stack([chunk.numeric, chunk.codes, chunk.target])[aside].tolist()))

    assert held(chunk, 1) == held(mixed, 1)
    assert held(chunk, 1) != held(chunk, 2)
    assert len(held(chunk, 1)) == sum(int(0.3 * np.sum(target == k) + 0.5) for k in (0, 1))
    assert len(set(held(chunk, 1))) == len(set(map(tuple, np.column_stack([numeric, codes, target]).tolist())))


def test_reduced_error_pruning_holds_rows_out_and_takes_other_rows():
    rng = np.random.default_rng(2)
    X, noise = rng.normal(size=(600, 3)), rng.random(600) < 0.25
    y = (X[:, 0] > 0) ^ noise
    grown, pruned = DecisionTreeClassifier().fit(X, y), DecisionTreeClassifier(prune="reduced_error", random_state=0)
    assert pruned.fit(X, y).get_n_leaves() < grown.get_n_leaves() / 2
    order = rng.permutation(600)
    again = DecisionTreeClassifier(prune="reduced_error", random_state=0).fit(X[order], y[order])
    np.testing.assert_array_equal(pruned.tree_.threshold, again.tree_.threshold)
    Z = rng.normal(size=(400, 3))
    label = (Z[:, 0] > 0) ^ (rng.random(400) < 0.25)
    before = grown.score(Z, label)
    leaves = grown.get_n_leaves()
    assert grown.prune_(Z, label).score(Z, label) >= before
    assert grown.get_n_leaves() < leaves


def test_reduced_error_pruning_of_files_needs_rows_of_its_own(tmp_path):
    import pyarrow.csv

    pyarrow.csv.write_csv(pa.table({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"]}), tmp_path / "t.csv")
    with pytest.raises(ParameterError, match="prune_"):
        DecisionTreeClassifier(prune="reduced_error").fit(read(str(tmp_path / "t.csv"), "y"))
