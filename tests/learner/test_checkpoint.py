"""A fit that is stopped under `nv.checkpoint` goes on where it was, and ends with the digits of one that was not."""

import json
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.errors import CheckpointError, CheckpointWarning, DataError, InputTypeError, ParameterError
from novacula.graph import BayesianNetwork, GaussianHMM
from novacula.learner import checkpoint_records, fit_journal
from novacula.learner.checkpoint_records import PassRecord
from novacula.learner.fingerprint import fingerprint
from novacula.linear import Lasso, LinearUnit, LogisticRegression, Perceptron
from novacula.mixture import GaussianMixture, KMeans
from novacula.neural import MLPClassifier, RBFNetworkClassifier
from novacula.prepare import PreparedClassifier
from novacula.projection import PCA
from novacula.tree import DecisionTreeClassifier


class Killed(BaseException):
    """The process ends here."""


class Passes:
    """Counts the passes that are really made, and ends the process before one of them."""

    def __init__(self, monkeypatch):
        self.made, self.last, self.monkeypatch = 0, np.inf, monkeypatch
        keep = fit_journal.FitJournal._keep

        def counted(journal, asks, args, result):
            keep(journal, asks, args, result)
            self.made += 1
            if self.made == self.last:
                raise Killed

        monkeypatch.setattr(fit_journal.FitJournal, "_keep", counted)

    def until(self, number):
        self.made, self.last = 0, number


@pytest.fixture
def passes(monkeypatch):
    return Passes(monkeypatch)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file of three groups of rows, with a class and a number to learn."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(240, 3)) + np.repeat([[0.0], [3.0], [-3.0]], 80, axis=0)
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    frame["class"] = np.where(rows[:, 0] + rng.normal(size=240) > 0, "yes", "no")
    frame["number"] = rows @ [1.0, 2.0, 3.0] + rng.normal(size=240)
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


def table_for(path, learner):
    table = nv.read(path)
    if learner.card.task == "classification":
        return table.drop("number").with_target("class")
    if learner.card.task == "regression":
        return table.drop("class").with_target("number")
    return table.drop(["class", "number"])


def bits(model, folder):
    """The model as a file, which is the same where every digit is."""
    model.save(folder / "model.nova")
    return (folder / "model.nova").read_bytes()


LEARNERS = {
    "mixture": lambda: GaussianMixture(3, random_state=0, n_init=2, max_iter=4),
    "mixture without a seed": lambda: GaussianMixture(3, max_iter=4),
    "k-means": lambda: KMeans(3, init="random", n_init=2, max_iter=4),
    "logistic": LogisticRegression,
    "logistic by L-BFGS": lambda: LogisticRegression(solver="lbfgs", max_iter=4),
    "logistic with zeros": lambda: LogisticRegression(penalty="l1"),
    "tree": lambda: DecisionTreeClassifier(max_depth=4),
    "radial basis": lambda: RBFNetworkClassifier(),
    "network by batches": lambda: MLPClassifier((3,), max_epochs=4, tol=None),
    "network by Adam": lambda: MLPClassifier((3,), solver="adam", max_epochs=4, tol=None),
    "network by L-BFGS": lambda: MLPClassifier((3,), solver="lbfgs", max_epochs=4),
    "perceptron": lambda: Perceptron(max_iter=4, random_state=0),
    "linear unit": lambda: LinearUnit(solver="sgd", max_iter=4, random_state=0),
    "lasso": lambda: Lasso(alpha=0.1),
    "prepared": lambda: PreparedClassifier(LogisticRegression()),
}
FEW = {"lasso": 1}
"""Passes of those that make few; all others make two at least."""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", LEARNERS)
def test_a_stopped_fit_goes_on_to_the_same_digits(name, path, tmp_path, passes):
    table = table_for(path, LEARNERS[name]())
    with nv.checkpoint(tmp_path / "all"):
        np.random.seed(0)  # noqa: NPY002  (for those without a seed of their own)
        expected = bits(LEARNERS[name]().fit(table), tmp_path)
    total = passes.made
    assert total >= FEW.get(name, 2)
    if LEARNERS[name]().get_params().get("random_state", 0) is not None:
        assert bits(LEARNERS[name]().fit(table), tmp_path) == expected
    passes.until(number := max(1, 2 * total // 3))
    np.random.seed(0)  # noqa: NPY002
    with pytest.raises(Killed), nv.checkpoint(tmp_path / "kept", every=0):
        LEARNERS[name]().fit(table)
    passes.until(np.inf)
    with nv.checkpoint(tmp_path / "kept", every=0):
        assert bits(LEARNERS[name]().fit(table), tmp_path) == expected
    assert passes.made == total - number
    assert not (tmp_path / "kept").exists()


def stopped(passes, number, folder, fit):
    """Passes of a fit that is stopped, and of the one that goes on; and the model of that."""
    passes.until(number)
    with pytest.raises(Killed), nv.checkpoint(folder, every=0):
        fit()
    passes.until(np.inf)
    with nv.checkpoint(folder, every=0):
        return fit(), passes.made


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_em_on_rows_in_memory_goes_on_too(tmp_path, passes):
    x = np.random.default_rng(0).normal(size=(60, 2)).cumsum(axis=0)
    expected = bits(GaussianHMM(2, max_iter=4, random_state=0).fit(x), tmp_path)
    model, made = stopped(passes, 3, tmp_path / "kept", lambda: GaussianHMM(2, max_iter=4, random_state=0).fit(x))
    assert bits(model, tmp_path) == expected
    assert made == 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::novacula.errors.DataWarning")
def test_networks_with_hidden_nodes_and_searched_structures_go_on(tmp_path, passes):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice(["x", "y"], 80) for name in "abc"})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    table = nv.read(tmp_path / "rows.csv")

    def climb():
        edges = [("h", name) for name in "abc"]
        return BayesianNetwork(edges, hidden={"h": ["p", "q"]}, max_iter=4, random_state=0).fit(table)

    expected = bits(climb(), tmp_path)
    model, made = stopped(passes, 4, tmp_path / "kept", climb)
    assert bits(model, tmp_path) == expected
    assert made == 3

    def search():
        return BayesianNetwork().fit_structure(table)

    expected = bits(search(), tmp_path)
    model, made = stopped(passes, 1, tmp_path / "kept", search)
    assert bits(model, tmp_path) == expected
    assert made > 0


def test_components_of_rows_that_miss_values_go_on(tmp_path, passes):
    x = np.random.default_rng(0).normal(size=(60, 4))
    x[::5, 1] = np.nan
    table = nv.read(pd.DataFrame(x, columns=list("abcd")))
    expected = bits(PCA(2).fit(table), tmp_path)
    model, _ = stopped(passes, 3, tmp_path / "kept", lambda: PCA(2).fit(table))
    assert bits(model, tmp_path) == expected


def test_it_may_be_stopped_again_and_again(path, tmp_path, passes):
    table = table_for(path, KMeans())
    expected = bits(KMeans(3).fit(table), tmp_path)
    for _ in range(3):
        passes.until(1)
        with pytest.raises(Killed), nv.checkpoint(tmp_path / "kept", every=0):
            KMeans(3).fit(table)
    assert len(list((tmp_path / "kept").rglob("*.passes"))) == 3
    with nv.checkpoint(tmp_path / "kept", every=0):
        passes.until(np.inf)
        assert bits(KMeans(3).fit(table), tmp_path) == expected


def test_fits_of_a_block_are_numbered(path, tmp_path, passes):
    def both():
        return [LogisticRegression().fit(table_for(path, LogisticRegression())), KMeans(3).fit(table)]

    table = table_for(path, KMeans())
    with nv.checkpoint(tmp_path / "all"):
        expected = [bits(model, tmp_path) for model in both()]
    first = passes.made
    models, _ = stopped(passes, first - 1, tmp_path / "kept", both)
    assert [bits(model, tmp_path) for model in models] == expected


# --- whose it is ------------------------------------------------------------------------------------------------------


@pytest.fixture
def kept(path, tmp_path, passes):
    """The checkpoint of a fit that was stopped after its third pass."""
    passes.until(3)
    with pytest.raises(Killed), nv.checkpoint(tmp_path / "kept", every=0):
        KMeans(3).fit(table_for(path, KMeans()))
    passes.until(np.inf)
    return tmp_path / "kept"


def refused(folder, fit, what):
    sentence = f"is of another fit, since {what} not the same: choose another folder, or remove this one"
    with pytest.raises(CheckpointError, match=sentence), nv.checkpoint(folder):
        fit()


def test_a_checkpoint_of_another_fit_is_refused(path, kept, tmp_path, monkeypatch):
    table = table_for(path, KMeans())
    refused(kept, lambda: GaussianMixture(3).fit(table), "the learner is")
    refused(kept, lambda: KMeans(4).fit(table), "the parameters are")
    refused(kept, lambda: KMeans(3).fit(table.drop("a")), "the table is")
    (tmp_path / "copy.csv").write_bytes(path.read_bytes())
    refused(kept, lambda: KMeans(3).fit(table_for(tmp_path / "copy.csv", KMeans())), "the table is")
    monkeypatch.setattr(fit_journal, "__version__", "0.0")
    refused(kept, lambda: KMeans(3).fit(table), "the versions of Novacula, NumPy and SciPy are")


def test_rows_in_memory_are_known_by_what_they_hold(tmp_path, passes):
    x, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    passes.until(2)
    with pytest.raises(Killed), nv.checkpoint(tmp_path / "kept", every=0):
        LogisticRegression().fit(x, y)
    refused(tmp_path / "kept", lambda: LogisticRegression().fit(x + 1, y), "the table is")
    passes.until(np.inf)
    with nv.checkpoint(tmp_path / "kept"):
        model = LogisticRegression().fit(x.copy(), y)
    assert bits(model, tmp_path) == bits(LogisticRegression().fit(x, y), tmp_path)


def test_what_is_not_a_checkpoint_is_refused(path, kept):
    (kept / "fit-1" / "fit.json").write_text("{")
    with (
        pytest.raises(CheckpointError, match="is not that of a checkpoint: choose another folder"),
        nv.checkpoint(kept),
    ):
        KMeans(3).fit(table_for(path, KMeans()))


def test_a_folder_is_a_path_and_seconds_are_not_negative(tmp_path):
    with pytest.raises(InputTypeError, match="named by a path, not by a int"), nv.checkpoint(3):
        pass
    with pytest.raises(ParameterError, match="every is -1"), nv.checkpoint(tmp_path, every=-1):
        pass


def test_a_fit_that_is_refused_leaves_no_checkpoint(tmp_path):
    with pytest.raises(DataError, match="infinite"), nv.checkpoint(tmp_path / "kept"):
        LogisticRegression().fit(pd.DataFrame({"a": [1.0, np.inf]}), [0, 1])
    assert not (tmp_path / "kept").exists()


# --- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "harm", [lambda old: old[:-1], lambda old: old[:-1] + b"?", lambda old: b"", lambda old: old[:9]]
)
def test_a_damaged_pass_is_made_again(path, kept, tmp_path, passes, harm):
    table = table_for(path, KMeans())
    expected = bits(KMeans(3).fit(table), tmp_path)
    record = kept / "fit-1" / "00000002.passes"
    record.write_bytes(harm(record.read_bytes()))
    with warnings.catch_warnings(record=True) as caught, nv.checkpoint(kept, every=0):
        warnings.simplefilter("always")
        assert bits(KMeans(3).fit(table), tmp_path) == expected
    assert {warning.category for warning in caught} <= {CheckpointWarning}
    assert not kept.exists()


def test_a_pass_of_another_computation_is_made_again_and_said(path, kept, tmp_path, monkeypatch):
    monkeypatch.setattr(fit_journal, "fingerprint", lambda *values: fingerprint("other", *values))
    place = kept / "fit-1" / "fit.json"
    table = table_for(path, KMeans())
    identity = fit_journal.identity_of(KMeans(3), table, {})
    place.write_text(json.dumps({**json.loads(place.read_text()), **identity}))
    with pytest.warns(CheckpointWarning, match="goes on from pass 1 rather than 4"), nv.checkpoint(kept):
        model = KMeans(3).fit(table)
    assert bits(model, tmp_path) == bits(KMeans(3).fit(table), tmp_path)


def test_a_pass_that_cannot_be_kept_is_made_again_and_said(path, tmp_path, passes, monkeypatch):
    table = table_for(path, KMeans())
    expected = bits(KMeans(3).fit(table), tmp_path)
    monkeypatch.setattr(checkpoint_records, "kinds_in", lambda value: {object} if value is not None else set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model, _ = stopped(passes, 3, tmp_path / "kept", lambda: KMeans(3).fit(table))
    assert bits(model, tmp_path) == expected
    assert "repeats a pass when it goes on" in str(caught[0].message)


def test_a_full_disk_does_not_end_a_fit(path, tmp_path, monkeypatch):
    table = table_for(path, KMeans())
    expected = bits(KMeans(3).fit(table), tmp_path)
    write = fit_journal.replace_file

    def full(place, content):
        if place.suffix == ".passes":
            raise OSError(28, "No space left on device", str(place))
        write(place, content)

    monkeypatch.setattr(fit_journal, "replace_file", full)
    with (
        pytest.warns(CheckpointWarning, match="keeps no further checkpoint"),
        nv.checkpoint(tmp_path / "kept", every=0),
    ):
        model = KMeans(3).fit(table)
    assert bits(model, tmp_path) == expected


def test_what_waits_is_written_when_a_fit_is_interrupted(path, tmp_path, passes):
    passes.until(3)
    with pytest.raises(Killed), nv.checkpoint(tmp_path / "kept", every=1e9):
        KMeans(3).fit(table_for(path, KMeans()))
    [file] = (tmp_path / "kept").rglob("*.passes")
    with file.open("rb") as records:
        assert len(list(checkpoint_records.record_places(records))) == 3


# --- records ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    first: object
    second: object


ROOTS = frozenset({"novacula", __name__.partition(".")[0]})


def test_arrays_keep_their_layout():
    rows, columns = np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3))
    record = PassRecord("asked", True, Pair([rows], {"x": (columns, None)})).to_bytes(ROOTS, ())
    pair = PassRecord.from_bytes(record, "asked", ROOTS, ()).value
    assert pair.first[0].flags.c_contiguous
    assert pair.second["x"][0].flags.f_contiguous
    assert not pair.second["x"][0].flags.c_contiguous
    assert np.array_equal(pair.second["x"][0], columns)
    assert PassRecord.from_bytes(record, "asked for more", ROOTS, ()) is None


@pytest.mark.parametrize("name", ["subprocess:Popen", "os:system", "novacula.cli.app:run", "novacula.nowhere:X"])
def test_no_record_names_what_may_run(name):
    record = PassRecord("asked", True, Pair(1, 2)).to_bytes(ROOTS, ())
    forged = forge(record, checkpoint_records.type_name(Pair), name)
    with pytest.raises(ValueError, match="is not a type of a checkpoint"):
        PassRecord.from_bytes(forged, "asked", ROOTS, ())


def forge(record, old, new):
    """A record with another name in it, and a checksum that fits."""
    from hashlib import sha256

    _, manifest, arrays = checkpoint_records.HEAD.unpack_from(record)
    document = record[checkpoint_records.HEAD.size :][:manifest].replace(old.encode(), new.encode())
    body = document + record[len(record) - arrays :]
    return checkpoint_records.HEAD.pack(sha256(body).digest(), len(document), arrays) + body
