"""Learning curves of two learners on one picture, and the verdict that one of two hypotheses overfits."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from novacula.bayes import NaiveBayes
from novacula.checks import check_work
from novacula.errors import ParameterError
from novacula.evaluate import LearningCurve, LearningCurves, learning_curve, learning_curves, overfitting
from novacula.tree import DecisionTreeClassifier


def parity(n, seed):
    """Rows on which a tree needs many examples, and of which naive Bayes can say nothing: x₀ > 0 or else x₁ > 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where((X[:, 0] > 0) ^ (X[:, 1] > 0), "odd", "even")


@pytest.fixture(scope="module")
def found():
    learners = {"naive Bayes": NaiveBayes(), "tree": DecisionTreeClassifier()}
    return learning_curves(learners, *parity(400, 0), sizes=[20, 80, 320], folds=5)


def test_each_curve_is_that_of_its_learner_alone(found):
    for name, learner in (("naive Bayes", NaiveBayes()), ("tree", DecisionTreeClassifier())):
        alone = learning_curve(learner, *parity(400, 0), sizes=[20, 80, 320], folds=5)
        np.testing.assert_array_equal(found.curves[name].validation, alone.validation)
    assert found.best[-1] == "tree", "naive Bayes cannot say what depends on two columns together"
    assert found.curves["tree"].validation_mean[-1] < 0.2 < found.curves["naive Bayes"].validation_mean[-1]
    check_work(found)
    check_work(found, detail="full")


def test_the_picture_has_both_curves(found):
    axes = plt.figure().subplots()
    figure = found.plot()
    figure.draw(axes)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["naive Bayes", "tree"]
    for line, curve in zip(axes.lines, found.curves.values(), strict=True):
        np.testing.assert_allclose(line.get_ydata(), curve.validation_mean)
        assert line.get_xdata().tolist() == [20, 80, 320]
    assert "from 20 to 320 examples" in figure.alt
    plt.close("all")


def test_the_deep_tree_overfits_and_says_by_what():
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(2, 200, 4))
    y, t = (np.where(rng.random(200) < 0.25, part[:, 0] < 0, part[:, 0] > 0).astype(str) for part in (X, Z))
    models = {"deep": DecisionTreeClassifier().fit(X, y), "shallow": DecisionTreeClassifier(max_depth=1).fit(X, y)}
    result = overfitting(models, (X, y), (Z, t))
    assert result.overfits == "deep"
    assert result.seen == tuple(np.mean(model.predict(X) != y) for model in models.values())
    assert result.fresh == tuple(np.mean(model.predict(Z) != t) for model in models.values())
    first = result.work()[1].equations[1]  # the error of the shallow tree on the rows of the fit
    assert first.values == {"r": np.sum(models["shallow"].predict(X) != y), "n": 200}
    assert result.work().to_text().count("overfits: its error") == 1
    assert result.verdict().startswith("'deep' overfits: its error on the rows of the fit is smaller")
    check_work(result)
    again = overfitting({"one": models["shallow"], "two": models["shallow"]}, (X, y), (Z, t))
    assert again.overfits is None
    assert "Neither overfits" in again.verdict()
    check_work(again)


def curves_of(sizes, **errors):
    """Learning curves with these mean errors."""
    made = {
        name: LearningCurve("examples", sizes, *(np.array([[mean, mean] for mean in means]) for _ in "tv"), "zero_one")
        for name, means in errors.items()
    }
    return LearningCurves(made)


@pytest.mark.parametrize(
    ("bayes", "tree", "best", "words"),
    [
        ([0.5, 0.3], [0.5, 0.2], (None, "tree"), "With 1 example no learner errs less than all others, from 9 on tree"),
        (
            [0.5, 0.1],
            [0.6, 0.1],
            ("bayes", None),
            "With 1 example bayes errs less than all others, from 9 on no learner",
        ),
        ([0.1 + 0.2, 0.1], [0.3, 0.2], (None, "bayes"), "With 1 example no learner errs less than all others, from 9"),
        ([0.4, 0.3], [0.5, 0.5], ("bayes", "bayes"), "With 1 to 9 examples bayes errs less than all others"),
    ],
)
def test_a_tie_is_no_win(bayes, tree, best, words):
    found = curves_of((1, 9), bayes=bayes, tree=tree)
    assert found.best == best
    assert found.sentence().startswith(words)
    check_work(found, drawn=False)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: learning_curves({}, *parity(20, 0)), "no learners"),
        (lambda: overfitting({"one": None}, None, None), "compares two"),
        (lambda: overfitting({"one": None, "two": None}, [1], [2]), r"seen is \[1\]; give a Table"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
