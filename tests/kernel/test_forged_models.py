"""Model files of kernel machines that were forged: refused at load in one sentence."""

import dataclasses
import json

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import novacula as nv
from novacula.errors import DataError, ModelFileError
from novacula.kernel import (
    SVC,
    SVR,
    Gaussian,
    GaussianProcessRegressor,
    KernelPCA,
    KernelRidge,
    Linear,
    Nystroem,
    Polynomial,
    Precomputed,
    RandomFourierFeatures,
)
from novacula.kernel.svm.shown_machine import show_machine
from novacula.learner import files

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 2))
WIDE = csr_matrix(np.where(RNG.random((20, 5)) < 0.5, 1.5, 0.0))
CLASSES = np.digitize(X[:, 0], [-0.5, 0.5])
NUMBERS = X[:, 0] - X[:, 1]


def loaded(model, tmp_path):
    """The model as its file gives it back."""
    files.save(model, tmp_path / "m.nova", checked=False)
    return nv.load(tmp_path / "m.nova")


def examples(model, **others):
    model.examples_ = model.examples_ | others


def svm_examples(model, **others):
    model.examples_ = dataclasses.replace(model.examples_, **others)


MACHINES = [
    (lambda m: setattr(m, "dual_coef_", m.dual_coef_[:, 1:]), r"support_vectors_ is .*, and there are"),
    (lambda m: setattr(m, "support_vectors_", m.support_vectors_[:, :1].copy()), "and there are 2 numbers"),
    (lambda m: setattr(m, "n_support_", m.n_support_ + 1), "its n_support_ do not add up to its support vectors"),
    (lambda m: setattr(m, "n_support_", np.array([2**62, 2**62, 2**63 - 1])), "its n_support_ do not add up"),
    (lambda m: setattr(m, "kernel_", Gaussian()), "its kernel_ has a word or a name where a fit leaves a number"),
    (
        lambda m: setattr(m, "kernel_", Linear().on([5])),
        "its kernel_ does not fit its columns: the kernel uses column 5",
    ),
    (lambda m: setattr(m, "kernel_", Linear()), "its coef_ is that of a linear kernel"),
    (lambda m: setattr(m, "kernel_", Precomputed()), "its support vectors are not those that its kernel_ takes"),
    (lambda m: setattr(m, "kernel_", "rbf"), "its kernel_ is a str, where a Kernel should be"),
    (lambda m: setattr(m, "examples_", None), "its examples_ have no numbers"),
    (lambda m: svm_examples(m, target=NUMBERS), "its examples_ have numbers where classes should be"),
    (lambda m: svm_examples(m, target=m.examples_.target + 7), r"its examples_.target is an array of int32"),
    (lambda m: svm_examples(m, rows=np.zeros((20, 20))), "its examples_ are rows of other columns"),
    (lambda m: m.multipliers_.update(row=m.multipliers_["row"] + 100), "support vectors are not among its examples_"),
    (lambda m: m.multipliers_.update(example=np.zeros(20, np.int64)), "support vectors are not among its examples_"),
    (lambda m: vars(m).pop("sigmoids_"), "its sigmoids_ are missing, which probability=True asks for"),
    (lambda m: setattr(m, "sigmoids_", m.sigmoids_[1:]), "its sigmoids_ holds 2, but there are 3 machines"),
    (lambda m: setattr(m, "classes_", m.classes_[:2]), "its classes_ has 2 labels, but there are 3 classes"),
    (lambda m: setattr(m, "intercept_", np.full(3, np.nan)), "its intercept_ holds a number that is not finite"),
]


@pytest.mark.parametrize(("forge", "reason"), MACHINES)
def test_a_forged_machine_is_refused(forge, reason, tmp_path):
    model = SVC(probability=True, random_state=0).fit(X, CLASSES)
    forge(model)
    with pytest.raises(ModelFileError, match=reason):
        loaded(model, tmp_path)


def test_rows_must_be_sparse_as_the_columns_are(tmp_path):
    model = SVC().fit(WIDE, CLASSES)
    assert np.array_equal(loaded(model, tmp_path).predict(WIDE), model.predict(WIDE))
    model.support_vectors_ = model.support_vectors_.toarray()
    with pytest.raises(ModelFileError, match=r"its support_vectors_ is an array .* where .* sparse"):
        loaded(model, tmp_path)
    model = SVC().fit(WIDE, CLASSES)
    model.support_vectors_.data[0] = np.nan
    with pytest.raises(ModelFileError, match=r"its support_vectors_.data holds a number that is not finite"):
        loaded(model, tmp_path)


def test_columns_must_be_of_a_kind_that_is_taken(tmp_path):
    model = SVR().fit(X, NUMBERS)
    first, second = model.schema_.columns
    model.schema_ = dataclasses.replace(
        model.schema_, columns=(first, dataclasses.replace(second, kind="categorical", categories=("a",)))
    )
    with pytest.raises(ModelFileError, match="its schema_ has a categorical column, which SVR does not take"):
        loaded(model, tmp_path)


def test_support_vectors_of_a_precomputed_kernel_are_columns(tmp_path):
    model = SVC(kernel="precomputed").fit(X @ X.T, CLASSES)
    assert np.array_equal(loaded(model, tmp_path).predict(X @ X.T), model.predict(X @ X.T))
    model.multipliers_["row"] = model.multipliers_["row"] + 20
    with pytest.raises(ModelFileError, match="its support vectors are not those that its kernel_ takes"):
        loaded(model, tmp_path)


def test_a_regression_knows_its_support_vectors(tmp_path):
    model = SVR().fit(X, NUMBERS)
    model.n_support_ = model.n_support_ - 1
    with pytest.raises(ModelFileError, match="its n_support_ is not the number of its support vectors"):
        loaded(model, tmp_path)


KEPT = [
    (lambda m: examples(m, rows=m.examples_["rows"][:, :1].copy()), "its examples_ are rows of other columns"),
    (lambda m: examples(m, places=np.arange(20) % 2), "its examples_ are rows of other columns"),
    (lambda m: examples(m, weight=np.zeros(20)), r"its examples_.weight holds a number that is out of range"),
    (lambda m: examples(m, target=np.zeros((20, 0))), "its examples_ have no target"),
    (lambda m: examples(m, more=1), r"its examples_.more is not an attribute that is declared"),
    (lambda m: setattr(m, "kernel_", Gaussian("auto")), "its kernel_ has a word or a name"),
]


@pytest.mark.parametrize(("forge", "reason"), KEPT)
@pytest.mark.parametrize("learner", [KernelRidge(), GaussianProcessRegressor(optimize=False)])
def test_forged_rows_are_refused(learner, forge, reason, tmp_path):
    model = learner.fit(X, NUMBERS)
    forge(model)
    with pytest.raises(ModelFileError, match=reason):
        loaded(model, tmp_path)


@pytest.mark.parametrize("learner", [KernelRidge(), GaussianProcessRegressor(optimize=False)])
def test_a_model_without_rows_is_refused(learner, tmp_path):
    model = learner.fit(X, NUMBERS)
    model.examples_ = {name: array[:0] for name, array in model.examples_.items()}
    with pytest.raises(ModelFileError, match=r"its examples_ are 0 rows, where 1 to .* should be"):
        loaded(model, tmp_path)


def test_targets_of_a_process_have_a_scale_each(tmp_path):
    model = GaussianProcessRegressor(optimize=False).fit(X, NUMBERS)
    model.y_mean_, model.y_std_ = np.zeros(2), np.ones(2)
    with pytest.raises(ModelFileError, match="its y_mean_ and y_std_ are not one number for each target"):
        loaded(model, tmp_path)


def test_coefficients_of_a_ridge_are_those_of_its_targets(tmp_path):
    model = KernelRidge().fit(X, NUMBERS)
    model.examples_["dual"] = np.zeros((20, 3))
    with pytest.raises(ModelFileError, match="its coefficients are not one for each row and target"):
        loaded(model, tmp_path)


def test_a_matrix_that_is_not_definite_is_said_when_the_model_is_asked(tmp_path):
    process = GaussianProcessRegressor(optimize=False).fit(X, NUMBERS)
    process.kernel_, process.noise_ = Linear(), 0.0  # of rank 2
    with pytest.raises(DataError, match="not positive definite: raise noise"):
        loaded(process, tmp_path).predict(X)
    ridge = KernelRidge().fit(X, NUMBERS)
    ridge.examples_["weight"][0] = 5e-324
    with pytest.raises(DataError, match="rows weigh so little that what they add to the penalty overflows"):
        loaded(ridge, tmp_path).work()


def test_scores_have_no_way_back_by_a_kernel_of_columns(tmp_path):
    model = KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(X)
    model.kernel_ = Gaussian(1.0).on([0])
    with pytest.raises(ModelFileError, match="its kernel_ cannot compare scores, so there is no way back"):
        loaded(model, tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("rank_", 21, "its rank_ is out of its range"),
        ("normalization_", np.zeros((20, 19)), "and there are 20 landmarks"),
        ("kernel_", Precomputed(), "cannot be computed between rows and landmarks"),
        ("kernel_", Gaussian(), "its kernel_ has a word or a name"),
    ],
)
def test_forged_landmarks_are_refused(name, value, reason, tmp_path):
    model = Nystroem().fit(X)
    setattr(model, name, value)
    with pytest.raises(ModelFileError, match=reason):
        loaded(model, tmp_path)


def test_there_is_at_least_one_wave(tmp_path):
    model = RandomFourierFeatures(n_components=3).fit(X)
    model.random_weights_, model.random_offset_ = np.empty((2, 0)), np.empty(0)
    with pytest.raises(ModelFileError, match="its random_offset_ are none"):
        loaded(model, tmp_path)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        ({"gamma": 1e-3, "width": 1.0}, "which say the same"),
        ({"gamma": "scale", "width": 1e-300}, "whose square is too large or too small"),
        ({"gamma": "scale", "width": 1e300}, "whose square is too large or too small"),
        ({"gamma": {"$int": "0x" + "f" * 900}, "width": None}, "Gaussian cannot be put together"),
    ],
)
def test_a_forged_kernel_as_a_parameter_is_refused(kernel, reason, tmp_path):
    def forge(document):
        document["parameters"]["$dict"]["kernel"] = {"kernel.Gaussian": kernel}

    with pytest.raises(ModelFileError, match=reason):
        rewritten(SVR(kernel=Gaussian(1.0)).fit(X, NUMBERS), forge, tmp_path)


def test_a_parameter_beyond_double_precision_is_refused(tmp_path):
    def forge(document):
        document["parameters"]["$dict"]["C"] = {"$int": "0x" + "f" * 900}

    with pytest.raises(ModelFileError, match="its parameter C is an integer beyond all numbers of double precision"):
        rewritten(SVC().fit(X, CLASSES), forge, tmp_path)


def rewritten(model, forge, tmp_path):
    """The model of a file whose manifest was changed, with the checksums that it then has."""
    path = tmp_path / "m.nova"
    files.save(model, path, checked=False)
    with path.open("rb") as file:
        document, arrays = files._read(file, 2**20)
    forge(document)
    path.write_bytes(b"".join(files.pack(json.dumps(document).encode(), arrays)))
    return nv.load(path)


def test_a_machine_without_support_vectors_is_derived():
    model = SVR(epsilon=100.0).fit(X, NUMBERS)  # all rows are within the tube
    assert "f(x) = b" in str(model.work(X[:1]))
    many = SVR(epsilon=100.0).fit(np.tile(X, (2, 1)) + np.arange(40)[:, None], np.tile(NUMBERS, 2))
    assert str(many.work()).startswith("Support vector regression")


@pytest.mark.parametrize("kernel", [Polynomial(degree=3), Gaussian(1.0)])
def test_a_machine_that_keeps_all_rows_knows_which_are_support_vectors(kernel):
    order = RNG.permutation(20)
    rows = np.round(X[order])  # of which some are equal, but for their classes
    model = SVC(kernel=kernel).fit(rows, CLASSES[order])
    for place in range(3):
        machine, beta = show_machine(model, place), model.machine_coefficients()[:, place]
        shown = np.flatnonzero(machine.beta)
        assert np.array_equal(machine.rows[shown], rows[np.array(machine.number)[shown]])
        assert dict(zip(np.array(machine.number)[shown], machine.beta[shown], strict=True)) == {
            row: b for row, b in zip(model.support_, beta, strict=True) if b
        }


def test_a_hard_margin_with_one_side_only_is_derived(tmp_path):
    model = SVC(C=np.inf, kernel="linear").fit([[0.0], [1.0]], ["a", "b"])
    model.dual_coef_[0, 0] = 0.0
    assert "The intercept" in str(loaded(model, tmp_path).work())
