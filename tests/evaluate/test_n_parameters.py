"""How many parameters each learner says that it has, against counts by hand: from the sample, or one by one."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.neighbors import KNeighborsClassifier as TheirNeighbours
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novacula as nv
from novacula.bayes import BayesOptimalClassifier, NaiveBayes
from novacula.checks.samples import sample
from novacula.concept import ConjunctiveSpace, FindS
from novacula.errors import InputTypeError
from novacula.evaluate import n_parameters
from novacula.graph import GaussianHMM
from novacula.kernel import SVC
from novacula.learner import Classifier
from novacula.learner.registry import learners
from novacula.linear import Lasso
from novacula.neural import MLPRegressor
from novacula.prepare import PreparedRegressor
from novacula.tree import RuleListClassifier

N, D, K = 60, 3, 3
"""Rows, numeric columns and classes of a sample; besides, a learner may get three colours and two sizes."""
WIDE = D + 3 + 1
"""Columns once colours and sizes are 0 and 1."""


def naive_bayes(*_):
    return K - 1 + K * D * 2 + K * (2 + 1)


def distinct_examples(model, data):
    rows = {(*row.values(), label) for row, label in zip(data.X.to_pylist(), data.target, strict=True)}
    return len(rows) * 6


def families(model, data):
    """Tables whose rows sum to 1; or an intercept, weights and a variance for each configuration of the parents."""
    total = 0
    for family in model.families_.values():
        if hasattr(family, "table"):
            total += sum(len(row) - 1 for row in family.table.reshape(-1, family.table.shape[-1]))
        else:
            total += family.intercept.size + family.weights.size + family.variance.size
    return total


def symbols(model, data):
    chain = K - 1 + K * (K - 1)
    return chain + K * sum(len(set(column.to_pylist())) - 1 for column in data.X.columns)


def planes(model, data):
    numbers = [*np.ravel(model.coef_).tolist(), *np.ravel(model.intercept_).tolist()]
    return sum(number != 0.0 for number in numbers)


def support(model, data):
    multipliers = sum(value != 0.0 for value in model.dual_coef_.ravel().tolist())
    return multipliers + len(model.support_vectors_) * D + len(model.intercept_)


def nodes_of_a_tree(model, data):
    def below(node):
        return 1 + sum(map(below, model.tree_.children(node))) if not model.tree_.is_leaf[node] else K - 1

    return below(0)


def rules(model, data):
    return sum(len(rule.conditions) for rule in model.rules_) + (len(model.rules_) + 1) * (K - 1)


def boosted(model, data):
    """The constants, and of each tree its leaves and its tests, of which there is one less."""
    return len(model.constant_) + sum(2 * int(tree.is_leaf.sum()) - 1 for tree in model.additive_trees().trees)


COUNTS = {
    "mean-regressor": 1,
    "plurality-classifier": K - 1,
    "bayes-optimal-classifier": 4 * naive_bayes() + 3,
    "gibbs-classifier": 4 * naive_bayes() + 3,
    "naive-bayes": naive_bayes(),
    "text-naive-bayes": naive_bayes(),
    "candidate-elimination": distinct_examples,
    "find-s": 5,
    "list-then-eliminate": distinct_examples,
    "rote-learner": distinct_examples,
    "unbiased-learner": distinct_examples,
    "bayesian-network": families,
    "bayesian-network-classifier": families,
    "categorical-hmm": symbols,
    "gaussian-hmm": 2 + 6 + K * D + K * D * (D + 1) // 2,
    "linear-gaussian": D + 1,
    "poisson-hmm": 2 + 6 + K * D,
    "svc": support,
    "svr": support,
    "gaussian-process-regressor": N * D + N,
    "kernel-pca": N * D,
    "kernel-ridge": N * D + N,
    "nystroem": N * D,
    "random-fourier-features": 100 * D + 100,
    "bayesian-linear-regression": D + 1,
    "lasso": planes,
    "linear-regression": D + 1,
    "linear-unit": D + 1,
    "logistic-regression": K * (D + 1),
    "perceptron": planes,
    "ridge": D + 1,
    "gaussian-mixture": D + D * (D + 1) // 2,
    "k-means": 8 * D,
    "k-neighbors-classifier": N * D + N,
    "k-neighbors-density": N * D,
    "k-neighbors-regressor": N * D + N,
    "kernel-density": N * D,
    "mlp-classifier": (D + 1) * 100 + (100 + 1) * K,
    "mlp-regressor": (D + 1) * 100 + 100 + 1,
    "rbf-network-classifier": 20 * D + (20 + 1) * K,
    "rbf-network-regressor": 20 * D + 20 + 1,
    "prepared-classifier": K * (WIDE + 1),
    "prepared-clusterer": 2 * WIDE,
    "prepared-regressor": WIDE + 1,
    "pca": D * D + D,
    "feature-ranker": 5,
    "gradient-boosting-classifier": boosted,
    "gradient-boosting-regressor": boosted,
    "decision-tree-classifier": nodes_of_a_tree,
    "rule-list-classifier": rules,
}


@pytest.mark.parametrize(("name", "kind"), learners().items(), ids=list(learners()))
def test_parameters_of_each_learner(name, kind):
    data = sample(kind.card, n=N)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a fit did not end is for the learner's own tests
        model = kind().fit(data.X, data.target)
    count = COUNTS[name]
    expected = count(model, data) if callable(count) else count
    assert model.n_parameters_ == n_parameters(model) == expected


def test_a_learner_counts_what_answers():
    """Not the first fitted attribute that somebody knows by its name."""
    pruned = RuleListClassifier().fit(nv.datasets.load("play_tennis"))
    assert pruned.n_parameters_ == sum(len(rule.conditions) for rule in pruned.rules_) + len(pruned.rules_) + 1
    X, y = np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 2
    linear = SVC(kernel="linear").fit(X, y)
    assert linear.n_parameters_ == 4 + 1, "a plane, however many vectors support it"
    assert Lasso(0.5).fit(X, 3 * X[:, 1] + 1).n_parameters_ == 2
    tied = MLPRegressor((2,), tied=[[(0, 0, 0), (0, 1, 0)], [(0, 0, 1), (0, 1, 1)]]).set_params(max_epochs=1, tol=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert tied.fit(X[:, :2], X[:, 0]).n_parameters_ == 9 - 2
    assert PreparedRegressor(Lasso(0.5)).fit(X, 3 * X[:, 1] + 1).n_parameters_ == 2


def test_a_committee_counts_its_members_whoever_they_are():
    from sklearn.naive_bayes import GaussianNB

    X, y = np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 2
    both = BayesOptimalClassifier([("ours", NaiveBayes()), ("theirs", GaussianNB())]).fit(X, y)
    assert both.n_parameters_ == 2 * (1 + 2 * 2 * 4) + 1
    space = ConjunctiveSpace({"sky": ("sun", "rain"), "wind": ("weak", "strong")})
    assert space.conjunction("sun", "?").n_parameters_ == 2


def test_numbers_of_a_model_that_was_given_or_saved(tmp_path):
    given = GaussianHMM.from_parameters([1.0], [[1.0]], [[0.0]], [[[1.0]]])
    with pytest.raises(ValueError, match="not fitted"):
        n_parameters(given)
    model = GaussianHMM(2, max_iter=3).fit(np.arange(10.0)[:, None], np.arange(10) // 5)
    model.save(tmp_path / "model.nova")
    assert nv.load(tmp_path / "model.nova").n_parameters_ == model.n_parameters_ == 1 + 2 + 2 + 2


class Silent(Classifier):
    card = FindS.card

    def fit(self, X, y=None):
        self.mean_ = np.zeros(1000)
        return self


def test_what_does_not_say_is_not_guessed():
    """A fitted attribute `mean_` is nobody's number of parameters."""
    with pytest.raises(NotImplementedError, match="Silent must say how many parameters it has: define n_parameters_"):
        n_parameters(Silent().fit(None))
    X, y = np.eye(6)[:, :2], np.arange(6.0)
    assert n_parameters(make_pipeline(StandardScaler(), TheirLinearRegression()).fit(X, y)) == 3
    with pytest.raises(InputTypeError, match="parameters of scikit-learn's KNeighborsClassifier cannot be counted"):
        n_parameters(TheirNeighbours(1).fit(X, y > 2))
    with pytest.raises(InputTypeError, match="parameters of a object cannot be counted"):
        n_parameters(object())
