"""Every learner whose card claims it gives the same model on a cluster."""

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.checks import check_scales
from novacula.kernel import Nystroem, RandomFourierFeatures
from novacula.learner.registry import learners
from novacula.linear import LogisticRegression

UNSETTLED = {"perceptron": [pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")]}
"""Learners that say of the sample, rightly, that they did not come to an end: no plane separates it."""
LEARNERS = {name: kind for name, kind in learners().items() if "cluster" in kind.card.scales}


@pytest.mark.parametrize("name", [pytest.param(name, marks=UNSETTLED.get(name, [])) for name in LEARNERS])
def test_the_model_of_the_cluster_is_that_of_memory(client, name):
    check_scales(LEARNERS[name](), client)


@pytest.mark.parametrize("expansion", [RandomFourierFeatures(0.5, 20), Nystroem(n_components=10)])
def test_a_kernel_machine_of_columns_is_fitted_where_the_rows_are(client, tmp_path, expansion):
    X = np.random.default_rng(0).normal(size=(300, 2))
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "out": np.where((X**2).sum(axis=1) > 1.4, "far", "near")})
    for i in range(3):
        frame[100 * i : 100 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet")
    table = nv.read(str(tmp_path / "*.parquet"), target="out")
    there, here = (expansion.fit(rows).transform(rows) for rows in (table.on(client), frame[["a", "b"]]))
    model = LogisticRegression().fit(there)
    np.testing.assert_allclose(model.coef_, LogisticRegression().fit(here, frame["out"]).coef_, rtol=1e-6, atol=1e-9)
    assert model.score(there) > 0.9
