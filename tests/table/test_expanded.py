"""Tables seen through a function: the same columns from memory and from files, roles kept, bad functions told."""

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.errors import SchemaError
from novacula.linear import LinearRegression, LogisticRegression


def powers(chunk):
    """x, y, x², y², xy of two columns."""
    x, y = chunk.numeric.T
    return np.column_stack([x, y, x * x, y * y, x * y])


NAMES = ["x", "y", "x²", "y²", "xy"]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500))
    return pd.DataFrame(
        {
            "x": x,
            "y": y,
            "note": rng.choice(["a", "b"], 500),
            "side": np.where(x * y > rng.normal(scale=0.3, size=500), "in", "out"),
            "height": x * y + rng.normal(scale=0.1, size=500),
            "times": rng.integers(1, 4, 500).astype(float),
        }
    )


def tables(frame, folder, **roles):
    """The rows in memory and in files."""
    for i, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
        frame.iloc[part].to_csv(folder / f"{i}.csv", index=False)
    return nv.read(frame, **roles), nv.read(str(folder / "*.csv"), **roles)


def test_a_fit_is_that_on_the_columns_themselves(frame, tmp_path, monkeypatch):
    monkeypatch.setattr("novacula.table.source.CHUNK_BYTES", 1)  # blocks of 64 rows
    arrays = powers(nv.read(frame[["x", "y"]]).to_chunk())
    for table in tables(frame, tmp_path, target="side", weight="times"):
        seen = table.select(["x", "y"]).expanded(powers, NAMES)
        assert seen.schema.names == (*NAMES, "side", "times")
        assert len(seen) == len(frame)
        model = LogisticRegression().fit(seen)
        oracle = LogisticRegression().fit(arrays, frame["side"], sample_weight=frame["times"])
        np.testing.assert_allclose(model.coef_, oracle.coef_, rtol=1e-6)
        np.testing.assert_array_equal(model.predict(seen), oracle.predict(arrays))


def test_columns_can_be_chosen_and_roles_changed(frame, tmp_path):
    for table in tables(frame, tmp_path, target="height"):
        seen = table.select(["x", "y"]).expanded(powers, NAMES)
        model = LinearRegression().fit(seen.select(["xy"]))
        np.testing.assert_allclose(model.coef_, [1.0], atol=0.02)
        assert seen.with_target(None).select(["x²"]).to_chunk().target is None
        np.testing.assert_allclose(seen.to_pandas()["xy"], frame["x"] * frame["y"])
        assert list(seen.select(["y²"]).to_pandas().columns) == ["y²", "height"]
        np.testing.assert_allclose(seen.head(3).to_chunk().numeric[:, 4], (frame["x"] * frame["y"])[:3])


def test_a_target_of_numbers_can_become_classes(frame):
    seen = nv.read(frame, target="times").select(["x", "y"]).expanded(powers, NAMES)
    assert LogisticRegression().fit(seen).classes_.tolist() == [1.0, 2.0, 3.0]


def test_bad_expansions(frame):
    table = nv.read(frame, target="side").select(["x", "y"])
    with pytest.raises(SchemaError, match="'side', which a new column would be called"):
        table.expanded(powers, ["side", *NAMES[1:]])
    with pytest.raises(SchemaError, match=r"shape \(500, 5\) for 500 rows, and 2 columns were named"):
        table.expanded(powers, ["a", "b"]).to_chunk()
    with pytest.raises(SchemaError, match="stands twice"):
        table.expanded(powers, ["a"] * 5)
