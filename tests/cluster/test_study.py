"""The same study on a Dask cluster."""

import numpy as np

import novacula as nv


def test_a_study_on_a_cluster_is_the_study_here(client):
    here = nv.learn(nv.datasets.load("iris"), learners=["naive-bayes", "tree"], folds=3, jobs=1)
    there = nv.learn(nv.datasets.load("iris"), learners=["naive-bayes", "tree"], folds=3, client=client)
    for one, other in zip(here.leaderboard, there.leaderboard, strict=True):
        assert (one.learner, one.size) == (other.learner, other.size)
        np.testing.assert_allclose(one.fold_errors, other.fold_errors)
