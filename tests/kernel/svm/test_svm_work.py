"""The work of support vector machines: it is checked against the model, and its numbers against the textbook."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import scale

from novacula.checks import check_equations, check_work
from novacula.checks.samples import NASTY_NAMES
from novacula.errors import ParameterError
from novacula.kernel import SVC, SVR, Gaussian, Linear, Polynomial
from novacula.kernel.algebra.formula import kernel_equation
from novacula.kernel.svm.figures import margin_figure, tube_figure
from novacula.kernel.svm.shown_machine import show_machine

# Three points whose machine is known: w = (1, 0), b = −2, α = ½, ¼, ¼ for the support vectors.
X3, Y3 = np.array([[1.0, 0.0], [3.0, 1.0], [3.0, -1.0], [5.0, 0.0]]), np.array(["a", "b", "b", "b"])


def few(n=24, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 2)) + 1.5 * np.column_stack([y, y % 2]), np.array(["no", "yes", "perhaps"])[y]


def steps_by_title(work):
    return {step.title: step for step in work}


def column(table, name):
    return [row[table.header.index(name)] for row in table.rows]


def value(step):
    return step.equations[-1].value


def test_the_numbers_of_a_machine_that_is_known():
    model = SVC(C=10.0, kernel="linear", tol=1e-9).fit(X3, Y3)
    steps = steps_by_title(model.work())
    table = steps["The multipliers and the conditions of Karush, Kuhn and Tucker"].table
    np.testing.assert_allclose(column(table, "⟦α⟧"), [0.5, 0.25, 0.25, 0.0], atol=1e-8)
    np.testing.assert_allclose(column(table, "⟦y * f(x)⟧"), [1.0, 1.0, 1.0, 3.0], atol=1e-8)
    assert column(table, "status") == ["free", "free", "free", "at 0"]
    assert column(table, "condition") == ["⟦y * f(x) == 1⟧"] * 3 + ["⟦y * f(x) >= 1⟧"]
    matrix = steps["Its matrix ⟦Q⟧"].table
    assert [list(row[1:]) for row in matrix.rows[:2]] == [[1.0, -3.0, -3.0, -5.0], [-3.0, 10.0, 8.0, 15.0]]
    assert value(steps["⟦w[1]⟧, the coefficient of x0"]) == pytest.approx(1.0)
    assert value(steps["⟦w[2]⟧, the coefficient of x1"]) == pytest.approx(0.0, abs=1e-9)
    assert value(steps["The intercept"]) == pytest.approx(-2.0)
    assert value(steps["What the multipliers make as large as possible"]) == pytest.approx(0.5)
    assert [e.value for e in model.work().equations if e.of == ("margin_", 0)] == pytest.approx([1.0])


@pytest.mark.parametrize(
    "model",
    [
        SVC(),
        SVC(kernel="linear"),
        SVC(kernel="poly"),
        SVC(kernel=Gaussian(0.5) + Linear()),
        SVC(C=np.inf, kernel=Gaussian(5.0)),
        SVC(loss="squared_hinge"),
        SVC(kernel="linear", loss="squared_hinge", solver="linear"),
        SVC(kernel="linear", solver="linear"),
        SVC(probability=True, random_state=0),
        SVC(decision_function_shape="ovo"),
    ],
    ids=repr,
)
@pytest.mark.parametrize(("n", "classes"), [(24, 2), (80, 2), (27, 3)])
def test_arithmetic_and_model_agree_for_classes(model, n, classes):
    X, y = few(n, classes)
    model.fit(X, y)
    check_equations(model)
    check_equations(model, X[:2])


@pytest.mark.parametrize(
    "model",
    [
        SVR(),
        SVR(kernel="linear"),
        SVR(kernel="linear", solver="linear"),
        SVR(loss="squared_hinge"),
        SVR(epsilon=0.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("n", [20, 80])
def test_arithmetic_and_model_agree_for_numbers(model, n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    model.fit(X, X[:, 0] + np.sin(X[:, 1]) + 0.1 * rng.normal(size=n))
    check_equations(model)
    check_equations(model, X[:2])


def test_precomputed_kernels_have_their_multipliers_and_sums():
    X, y = few()
    K = X @ X.T
    for model, target in ((SVC(kernel="precomputed"), y), (SVR(kernel="precomputed"), X[:, 0])):
        model.fit(K, target)
        check_equations(model)
        check_equations(model, K[:2])


def test_sparse_rows_and_many_rows():
    X, y = load_breast_cancer(return_X_y=True)
    for rows in (scale(X), sparse.csr_matrix(scale(X))):
        model = SVC(kernel="linear").fit(rows, y)
        check_equations(model)
        check_equations(model, rows[:2])
    few_rows = sparse.csr_matrix(np.abs(few()[0]))
    for model in (SVC(), SVC(kernel="linear"), SVR()):
        check_equations(model.fit(few_rows, few()[1] if isinstance(model, SVC) else few()[0][:, 0]))
    assert margin_figure(SVC().fit(few_rows, few()[1])).svg().startswith("<svg")


def test_rows_with_weights_or_repeated_keep_their_numbers():
    X, y = few()
    model = SVC().fit(np.vstack([X[:5], X]), np.concatenate([y[:5], y]))
    machine = show_machine(model, 0)
    held = machine.beta != 0.0
    assert sorted(np.array(machine.number)[held].tolist()) == sorted(model.support_.tolist())
    np.testing.assert_allclose(machine.f, model.decision_function(machine.rows))


def test_equal_rows_of_different_targets_are_distinguished():
    x, t = np.array([[0.0], [0.0], [1.0], [2.0]]), np.array([0.0, 4.0, 1.0, 2.0])
    machine = show_machine(SVR(C=1.0, kernel="linear").fit(x, t), 0)
    assert machine.beta[1] > 0.0 > machine.beta[0]


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.7), Gaussian(width=2.0), Polynomial(3, 0.5, 0.2)])
def test_a_kernel_value_written_out_is_the_kernel(kernel):
    a, b = np.random.default_rng(0).normal(size=(2, 1, 3))
    equation = kernel_equation(kernel, a[0], b[0])
    assert equation.fault() is None
    assert equation.value == pytest.approx(kernel(a, b).item(), rel=1e-12)


@pytest.mark.parametrize("model", [SVC(C=50.0), SVC(loss="squared_hinge"), SVC(kernel="linear"), SVR(), SVR(C=50.0)])
def test_every_step_that_is_kept_is_derived(model):
    X, y = few(24)
    model.fit(X, y if isinstance(model, SVC) else X[:, 0] + np.sin(X[:, 1]))
    kept = model.trace_.path.iterations.tolist()
    assert kept[-1] == np.max(model.n_iter_)
    for iteration in kept:
        if iteration - 1 in kept:
            check_equations(model, iteration=iteration)


def test_steps_one_by_one_lead_where_many_at_once_do(monkeypatch):
    X, y = few(24)
    watched = SVC(C=50.0, tol=1e-6).fit(X, y)
    monkeypatch.setattr("novacula.kernel.svm.decomposition.FEW", 0)
    at_once = SVC(C=50.0, tol=1e-6).fit(X, y)
    assert np.array_equal(watched.dual_coef_, at_once.dual_coef_)
    assert watched.n_iter_.tolist() == at_once.n_iter_.tolist()
    assert at_once.trace_ is None


@pytest.mark.parametrize(
    ("model", "n"),
    [(SVC(), 80), (SVC(C=np.inf, kernel=Gaussian(5.0)), 24), (SVC(kernel="linear", solver="linear"), 24)],
)
def test_steps_that_were_not_kept_are_refused_with_a_reason(model, n):
    with pytest.raises(ParameterError, match="no step was kept"):
        model.fit(*few(n)).work(iteration=1)


def test_several_classes_show_the_vote_of_each_pair():
    X, y = load_iris(return_X_y=True)
    model = SVC().fit(X, y)
    work = model.work(X[[0, 100]])
    tables = [step.table for step in work if step.title.endswith("the votes")]
    assert [column(table, "vote for").count(name) for table, name in zip(tables, "02", strict=True)] == [2, 2]
    assert [e.value for e in work.equations if e.of and e.of[0] == "predict"] == ["0", "2"]


def test_a_search_cut_short_is_reported():
    X, y = few(80)
    with pytest.warns(UserWarning, match="It stopped after 1 iteration, as many as max_iter allows"):
        model = SVC(C=100.0, max_iter=1).fit(X, y)
    assert "cut short" in model.work().to_text()


# --- figures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("n", [24, 150])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_margin_is_drawn(n, classes, kernel):
    model = SVC(kernel=kernel).fit(*few(n, classes))
    figure = margin_figure(model)
    assert figure.svg().startswith("<svg")
    assert ("f = ±1" in figure.alt) == (classes == 2)
    rings = f"rings about {len(model.support_)} support vectors"
    assert (rings in figure.alt) == (n == 24)


def test_the_margin_is_where_the_machine_says():
    drawn = {}

    class Axes:
        def contour(self, across, up, values, levels, **_):
            drawn[tuple(levels)] = (across, up, values)

        def __getattr__(self, name):
            return lambda *_, **__: None

    model = SVC(C=10.0, kernel="linear", tol=1e-9).fit(X3, Y3)
    margin_figure(model).draw(Axes())
    across, _, values = drawn[(0.0,)]
    np.testing.assert_allclose(values[0], across - 2.0, atol=1e-6)  # the border is x = 2
    assert (-1.0, 1.0) in drawn


def test_the_tube_is_drawn():
    x = np.linspace(0.0, 3.0, 12)[:, None]
    for rows in (x, np.linspace(0.0, 3.0, 60)[:, None]):
        model = SVR().fit(rows, np.sin(3.0 * rows[:, 0]))
        assert tube_figure(model, show_machine(model, 0)).svg().startswith("<svg")
        assert any(step.figure for step in model.work())


def test_hostile_names_pass_through():
    X, y = few(27, 3)
    names = [NASTY_NAMES[1], NASTY_NAMES[2]]
    labels = np.array([NASTY_NAMES[0], NASTY_NAMES[2], "x" * 500])[np.unique(y, return_inverse=True)[1]]
    frame = pd.DataFrame(X, columns=names)
    model = SVC(probability=True, random_state=0).fit(frame, labels)
    page = model.work().to_html() + model.work(frame[:2]).to_html()
    assert "<script" not in page
    check_work(model)
