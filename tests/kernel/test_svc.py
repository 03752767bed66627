"""Support vector classification: the contract, scikit-learn as an oracle, probabilities, hard margins, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn import svm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.multiclass import _ovr_decision_function

import novacula as nv
from novacula.errors import DataError, ModelFileError, ParameterError, ScaleWarning
from novacula.kernel import SVC, Custom, Gaussian, Linear, Multiquadric, Polynomial, Precomputed
from novacula.kernel.svm import machine
from novacula.kernel.svm.platt import couple
from novacula.learner.files import load, save

from ..shared_checks import checks_of_settings

laws = settings(deadline=None, max_examples=25)
SETS = {"cancer": load_breast_cancer, "wine": load_wine, "iris": load_iris}
PAIR = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 1.0], [4.0, 1.0]]), np.array([0, 0, 1, 1])


def scaled(name):
    X, y = SETS[name](return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600] / 16.0, y[:600]


@pytest.fixture(scope="module")
def noisy():
    return make_classification(160, 5, n_informative=3, n_redundant=0, n_classes=3, flip_y=0.2, random_state=1)


# --- the contract -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    checks_of_settings(SVC(kernel=Linear(), loss="squared_hinge"), SVC(probability=True, random_state=0)),
)
def test_check(check):
    check()


@laws
@given(st.integers(0, 2**32 - 1), st.integers(2, 3))
def test_neither_order_nor_repetition_of_rows_matters(seed, k):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, (40, 2)) / 2.0, rng.integers(0, k, 40)
    y[:k] = np.arange(k)
    weight = rng.integers(1, 4, 40)
    order = rng.permutation(np.repeat(np.arange(40), weight))
    one = SVC().fit(X, y, weight)
    other = SVC().fit(X[order], y[order])
    assert one.decision_function(X) == pytest.approx(other.decision_function(X), abs=1e-12)
    assert one.dual_objective_.tolist() == other.dual_objective_.tolist()


def test_parameters_of_the_kernel_can_be_searched():
    X, y = scaled("iris")
    search = GridSearchCV(SVC(kernel=Gaussian(1.0)), {"kernel__gamma": [1e-4, 0.1], "C": [1.0]}, cv=3).fit(X, y)
    assert search.best_params_["kernel__gamma"] == 0.1
    assert cross_val_score(SVC(kernel="precomputed"), X @ X.T, y, cv=3).mean() > 0.9


@pytest.mark.parametrize(
    "model", [SVC(), SVC(kernel=2.0 * Gaussian(0.5) + Polynomial(2), C=np.inf), SVC(kernel="linear")]
)
def test_a_file_holds_the_model(tmp_path, model):
    X, y = scaled("wine")
    fitted = model.fit(X, y)
    save(fitted, tmp_path / "m.nova", registry={"svc": SVC})
    loaded = load(tmp_path / "m.nova", registry={"svc": SVC})
    assert np.array_equal(loaded.decision_function(X), fitted.decision_function(X))
    assert loaded.kernel_ == fitted.kernel_


def test_a_function_cannot_be_saved(tmp_path):
    model = SVC(kernel=Custom(lambda a, b: a @ b.T)).fit(*PAIR)
    with pytest.raises(ModelFileError, match="nothing to call"):
        save(model, tmp_path / "m.nova", registry={"svc": SVC})


def test_predictions_need_a_fit():
    with pytest.raises(NotFittedError):
        SVC().predict(PAIR[0])
    assert not hasattr(SVC(), "predict_proba")


# --- scikit-learn as an oracle ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {}),
        ({"C": 100.0}, {"C": 100.0}),
        ({"kernel": "linear"}, {"kernel": "linear"}),
        ({"kernel": Polynomial(3, 1.0, 0.1)}, {"kernel": "poly", "coef0": 1.0, "gamma": 0.1}),
        ({"class_weight": "balanced"}, {"class_weight": "balanced"}),
    ],
)
def test_agrees_with_scikit_learn(name, ours, theirs):
    X, y = scaled(name)
    mine, other = SVC(**ours).fit(X, y), svm.SVC(**theirs).fit(X, y)
    assert mine.converged_
    assert mine.kkt_violation_ <= 1e-3
    assert np.array_equal(mine.predict(X), other.predict(X))
    assert mine.decision_function(X) == pytest.approx(other.decision_function(X), abs=0.02)
    assert mine.intercept_ == pytest.approx(other.intercept_, abs=5e-3)
    assert mine.class_weight_ == pytest.approx(other.class_weight_)
    assert mine.dual_coef_.shape[0] == other.dual_coef_.shape[0]
    different = np.unique(np.c_[X, y], axis=0)  # equal rows are one row, which scikit-learn keeps apart
    assert abs(mine.n_support_.sum() - other.n_support_.sum()) <= 1 + len(X) - len(different)
    shared = np.intersect1d(mine.support_, other.support_)
    assert len(shared) >= 0.97 * len(other.support_) - 1
    assert np.all(np.diff(y[mine.support_]) >= 0)
    assert mine.support_vectors_ == pytest.approx(X[mine.support_])
    if theirs.get("kernel") == "linear":
        assert mine.coef_ == pytest.approx(other.coef_, abs=0.02)


@pytest.mark.parametrize("C", [0.1, 5.0])
def test_the_dual_objective_is_that_of_scikit_learn(C, digits):
    X, y = digits
    X, y = X[y < 2], y[y < 2]
    mine, other = SVC(C=C, kernel=Gaussian(0.05)).fit(X, y), svm.SVC(C=C, gamma=0.05).fit(X, y)
    beta = other.dual_coef_[0]
    K = Gaussian(0.05)(X[other.support_])
    expected = np.abs(beta).sum() - 0.5 * beta @ K @ beta
    assert mine.dual_objective_ == pytest.approx([expected], rel=1e-4)
    assert mine.margin_ == pytest.approx([1.0 / np.sqrt(beta @ K @ beta)], rel=1e-3)


def test_ten_classes_and_both_shapes(digits):
    X, y = digits
    mine, other = SVC(decision_function_shape="ovo").fit(X, y), svm.SVC(decision_function_shape="ovo").fit(X, y)
    assert mine.decision_function(X) == pytest.approx(other.decision_function(X), abs=5e-3)
    assert mine.decision_function(X).shape == (600, 45)
    pairs = mine.decision_function(X)
    mine.set_params(decision_function_shape="ovr")
    assert mine.decision_function(X) == pytest.approx(_ovr_decision_function(pairs < 0, -pairs, 10))
    assert np.mean(mine.predict(X) == other.predict(X)) >= 0.998
    assert np.array_equal(mine.classes_[mine.decision_function(X).argmax(axis=1)], mine.predict(X))


def test_weights_are_scikit_learns(noisy):
    X, y = noisy
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    mine = SVC(kernel=Gaussian(0.2), class_weight={0: 2.0}).fit(X, y, weight)
    other = svm.SVC(gamma=0.2, class_weight={0: 2.0}).fit(X, y, weight)
    assert mine.decision_function(X) == pytest.approx(other.decision_function(X), abs=2e-3)


def test_squared_losses_are_those_of_a_kernel_with_a_ridge(noisy):
    X, y = noisy
    X, y = X[y < 2], y[y < 2]
    K = Gaussian(0.2)(X)
    mine = SVC(2.0, kernel=Gaussian(0.2), loss="squared_hinge", tol=1e-6).fit(X, y)
    other = svm.SVC(C=1e9, kernel="precomputed", tol=1e-6).fit(K + np.eye(len(K)) / 4.0, y)
    beta = np.zeros(len(y))
    beta[other.support_] = other.dual_coef_[0]
    assert mine.decision_function(X) == pytest.approx(K @ beta + other.intercept_, abs=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf", Polynomial(2)])
def test_sparse_rows_are_dense_ones(kernel, noisy):
    X, y = np.where(np.abs(noisy[0]) < 0.7, 0.0, noisy[0]), noisy[1]
    dense, sparse = SVC(kernel=kernel).fit(X, y), SVC(kernel=kernel, solver="smo").fit(csr_matrix(X), y)
    assert dense.decision_function(X) == pytest.approx(sparse.decision_function(csr_matrix(X)), abs=5e-3)
    assert sparse.support_vectors_.toarray() == pytest.approx(X[sparse.support_])


def test_a_given_matrix_and_a_function_are_kernels(noisy):
    X, y = noisy
    plain = SVC(kernel=Gaussian(0.2), tol=1e-5).fit(X, y)
    matrix = SVC(kernel=Precomputed(), tol=1e-5).fit(Gaussian(0.2)(X), y, sample_weight=np.arange(len(y)) > -1)
    pairs = SVC(kernel=Custom(lambda a, b: np.exp(-0.2 * ((a - b) ** 2).sum())), tol=1e-5).fit(X[:60], y[:60])
    assert matrix.decision_function(Gaussian(0.2)(X)) == pytest.approx(plain.decision_function(X), abs=1e-3)
    few = SVC(kernel=Gaussian(0.2), tol=1e-5).fit(X[:60], y[:60])
    assert pairs.decision_function(X) == pytest.approx(few.decision_function(X), abs=1e-3)


def test_rows_of_a_given_matrix_without_weight_are_left_out(noisy):
    X, y = noisy
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    K, kept = Gaussian(0.2)(X), weight > 0
    one = SVC(kernel="precomputed").fit(K, y, weight)
    other = SVC(kernel="precomputed").fit(K[np.ix_(kept, kept)], y[kept])
    assert one.decision_function(K) == pytest.approx(other.decision_function(K[:, kept]))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_both_solvers_solve_one_problem(loss, noisy):
    X, y = noisy
    one, other = (
        SVC(kernel="linear", loss=loss, solver=s, tol=1e-6, random_state=0).fit(X, y) for s in ("smo", "linear")
    )
    assert one.dual_objective_ == pytest.approx(other.dual_objective_, rel=1e-6)
    assert one.coef_ == pytest.approx(other.coef_, abs=1e-3)
    assert one.intercept_ == pytest.approx(other.intercept_, abs=1e-3)


def test_many_rows_go_to_the_linear_solver(monkeypatch, noisy):
    X, y = noisy
    monkeypatch.setattr(machine, "MANY", 100)
    monkeypatch.setattr(machine, "solve_dual", None)
    model = SVC(kernel="linear", random_state=0).fit(X[y < 2], y[y < 2])
    assert model.coef_ == pytest.approx(
        SVC(kernel="linear", solver="linear", random_state=0).fit(X[y < 2], y[y < 2]).coef_
    )


# --- what is read off ---------------------------------------------------------------------------------------


def test_four_points_by_hand():
    model = SVC(C=np.inf, kernel="linear").fit(*PAIR)
    assert model.support_.tolist() == [1, 2]
    assert model.dual_coef_ == pytest.approx(np.array([[-0.4, 0.4]]))  # 2/‖(3, 1) − (1, 0)‖²
    assert model.coef_ == pytest.approx(np.array([[0.8, 0.4]]))
    assert model.intercept_ == pytest.approx([-1.8])
    assert model.margin_ == pytest.approx([np.sqrt(5.0) / 2.0])
    assert model.dual_objective_ == pytest.approx([0.4])
    assert model.multipliers_table().rows == (
        (0, -1, 0.0, "at 0"),
        (1, -1, pytest.approx(0.4), "free"),
        (2, 1, pytest.approx(0.4), "free"),
        (3, 1, 0.0, "at 0"),
    )
    assert model.n_parameters_ == 3
    assert model.examples_.rows.tolist() == PAIR[0].tolist()


def test_multipliers_say_where_they_stand():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [2.6]]), [0, 0, 1, 1, 0]
    table = SVC(C=0.5, kernel="linear").fit(X, y).multipliers_table()
    assert [row for row, *_ in table.rows] == [0, 1, 2, 3, 4]
    assert [side for _, side, *_ in table.rows] == [-1, -1, 1, 1, -1]
    assert table.rows[4][2:] == (0.5, "at C")
    squared = SVC(C=0.5, kernel="linear", loss="squared_hinge").fit(X, y).multipliers_table()
    assert "at C" not in {word for *_, word in squared.rows}


def test_many_multipliers_are_those_of_support_vectors(noisy):
    model = SVC().fit(*noisy)
    numbers = [row for row, *_ in model.multipliers_table(2).rows]
    assert model.examples_ is None
    assert set(numbers) < set(model.support_.tolist())
    assert set(noisy[1][numbers]) == {1, 2}


def test_equal_rows_are_one_row_with_the_weight_of_all():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0], [0.9]]), [0, 0, 1, 1, 0]
    model = SVC(C=0.1, kernel="linear").fit(X, y)
    assert model.support_.tolist() == [0, 4, 2]
    assert np.abs(model.dual_coef_).max() == pytest.approx(0.2)
    assert model.multipliers_["cost"].tolist() == pytest.approx([0.2, 0.1, 0.2])


def test_the_history_rises_to_the_objective(noisy):
    model = SVC(C=10.0).fit(*noisy)
    assert len(model.n_iter_) == len(model.margin_) == 3
    assert np.all(np.diff(model.history_) >= -1e-9)
    assert model.history_[-1] == pytest.approx(model.dual_objective_.sum())


def test_a_table_brings_its_target(noisy):
    import pandas as pd

    X, y = noisy
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(5)]).assign(kind=np.array(["a", "b", "c"])[y])
    model = SVC().fit(nv.read(frame, target="kind"))
    assert model.score(nv.read(frame, target="kind")) == SVC().fit(X, y).score(X, y)
    by_name = SVC(kernel=Gaussian(0.1).on(["x0", "x3"])).fit(nv.read(frame, target="kind"))
    assert by_name.decision_function(frame[frame.columns[:5]]) == pytest.approx(
        SVC(kernel=Gaussian(0.1)).fit(X[:, [0, 3]], y).decision_function(X[:, [0, 3]]), abs=1e-2
    )


# --- probabilities ------------------------------------------------------------------------------------------


@laws
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_the_answer_is_the_most_probable_class(seed, k, noise):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    y = rng.integers(0, k, 40) if noise else np.searchsorted([-0.5, 0.5, 1.0][: k - 1], X[:, 0])
    y[:k] = np.arange(k)
    model = SVC(probability=True, random_state=0).fit(X, y)
    Q = rng.normal(size=(200, 2))
    P = model.predict_proba(Q)
    assert P.sum(axis=1) == pytest.approx(1.0)
    assert np.all(P >= 0.0)
    assert np.array_equal(model.classes_[P.argmax(axis=1)], model.predict(Q))
    assert np.exp(model.predict_log_proba(Q)) == pytest.approx(P)


def test_probabilities_of_two_classes_pass_through_one_half():
    X, y = scaled("cancer")
    model = SVC(probability=True, random_state=0).fit(X, y)
    decision, P = model.decision_function(X), model.predict_proba(X)[:, 1]
    assert np.all(np.diff(P[np.argsort(decision)]) >= 0.0)
    assert np.array_equal(P > 0.5, decision > 0.0)
    other = svm.SVC().fit(X, y)
    assert np.array_equal(model.predict(X), other.predict(X))
    truth = (y == 1).astype(float)
    assert np.mean((P - truth) ** 2) < 0.02
    assert np.mean(P) == pytest.approx(truth.mean(), abs=0.03)


def test_probabilities_of_several_classes_are_coupled_ones(noisy):
    X, y = noisy
    model = SVC(probability=True, random_state=0, decision_function_shape="ovo").fit(X, y)
    r = np.zeros((len(X), 3, 3))
    for p, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        r[:, i, j] = model.sigmoids_[p].probabilities(model.decision_function(X)[:, p])
        r[:, j, i] = 1.0 - r[:, i, j]
    found = model.predict_proba(X)
    assert np.sort(found, axis=1) == pytest.approx(np.sort(couple(r), axis=1))


def test_a_class_of_one_row_has_probabilities():
    model = SVC(probability=True, random_state=0).fit([[0.0], [0.1], [0.2], [5.0]], [0, 0, 0, 1])
    assert model.predict_proba([[0.1], [5.0]]).argmax(axis=1).tolist() == [0, 1]


# --- refusals and warnings ----------------------------------------------------------------------------------


def test_a_hard_margin_that_does_not_exist_is_refused_with_rows():
    X, y = np.array([[0.0], [9.0], [2.0], [1.0], [8.0]]), ["a", "b", "a", "b", "b"]
    with pytest.raises(DataError, match=r"row 3 of class 'b' is one of rows 0, 2 of class 'a' too; give a finite C"):
        SVC(C=np.inf, kernel="linear").fit(X, y)
    assert SVC(C=np.inf, kernel=Gaussian(1.0)).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (Multiquadric(), r"Multiquadric\(\) is not a kernel on these rows \(the smallest eigenvalue .* is −"),
        (Custom(lambda a, b: np.tanh(a @ b.T - 1.0)), "smallest eigenvalue"),
        (Custom(lambda a, b: a @ b.T + a[:, :1]), "not symmetric"),
    ],
)
def test_what_is_no_kernel_is_refused(kernel, words, noisy):
    with pytest.raises(DataError, match=words):
        SVC(kernel=kernel).fit(*noisy)


def test_negative_curvature_is_found_where_the_sample_does_not_show_it(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] > 0).astype(int)
    bad = 1 + int(np.argmin(np.abs(X[1:, 0])))

    def almost(a, b):
        odd = (a == X[bad]).all(axis=1)[:, None] & (b == X[bad]).all(axis=1)
        return np.where(odd, -5.0, np.exp(-((a[:, None] - b) ** 2).sum(axis=2)))

    monkeypatch.setattr(machine, "LOOKED_AT", 2)
    with pytest.raises(DataError, match="smallest eigenvalue"):
        SVC(kernel=Custom(almost)).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "X", "y", "words"),
    [
        ({}, *PAIR[:1], [1, 1, 1, 1], "one class only, 1"),
        ({"kernel": "sigmoid"}, *PAIR, "kernel is 'sigmoid'"),
        ({"solver": "linear"}, *PAIR, "takes the linear kernel only"),
        ({"kernel": "precomputed"}, *PAIR, r"shape \(4, 2\)"),
        ({"class_weight": {7: 1.0}}, *PAIR, "names 7, which is not a class"),
        ({"class_weight": {0: 0.0}}, *PAIR, "class 0 have no weight"),
        ({"kernel": Polynomial(400)}, PAIR[0] * 1e3, PAIR[1], "overflows"),
        ({"C": 0.0}, *PAIR, "'C' parameter"),
        ({"max_iter": 0}, *PAIR, "'max_iter' parameter"),
        ({}, [[np.nan, 1.0]] * 4, PAIR[1], "NaN"),
    ],
)
def test_bad_input_is_refused(parameters, X, y, words):
    with pytest.raises((DataError, ParameterError, ValueError), match=words):
        SVC(**parameters).fit(X, y)


def test_a_missing_value_of_a_table_is_named():
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 2.0, None, 4.0], "t": ["x", "y", "x", "y"]})
    with pytest.raises(DataError, match=r"'a' is missing .* in row 3"):
        SVC().fit(nv.read(frame, target="t"))


def test_a_search_that_ends_early_warns(noisy):
    short = (
        r"SVC of 0 and 1, and 2 more \(the KKT conditions are violated by .*, more than tol=0.001\): It stopped after 4"
    )
    with pytest.warns(ConvergenceWarning, match=short) as seen:
        model = SVC(max_iter=4).fit(*noisy)
    assert len(seen) == 1
    assert not model.converged_
    assert model.kkt_violation_ > 1e-3
    assert model.n_iter_.tolist() == [4, 4, 4]
    with pytest.warns(ConvergenceWarning, match="time_budget"):
        SVC(time_budget=1e-12).fit(*noisy)


def test_wild_scales_are_warned_of(noisy):
    X, y = noisy
    with pytest.warns(ScaleWarning):
        SVC().fit(X * [1.0, 1.0, 1.0, 1.0, 1e6], y)


def test_verbose_says_how_a_long_search_gets_on(noisy, capsys, monkeypatch):
    monkeypatch.setattr("novacula.kernel.svm.effort.PAUSE", 0.0)  # every round is a long one then
    model = SVC(C=100.0, verbose=True).fit(*noisy)
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("SVC")]
    assert lines[0].startswith("0 steps, dual objective 0, violation 2")
    violations = [float(line.rsplit(" ", 1)[1]) for line in lines]
    assert violations[-1] <= 1e-3 < violations[0]
    assert lines[-1].startswith(f"{model.n_iter_[-1]} steps, dual objective {model.dual_objective_[-1]:.6g},")


def test_verbose_says_how_each_machine_came_out(noisy, capsys):
    SVC(verbose=True).fit(*noisy)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["SVC of 0 and 1", "SVC of 0 and 2", "SVC of 1 and 2"]
