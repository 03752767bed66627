"""Estimators that are given to a study: scikit-learn's, pipelines, and ours with parameters of their own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression as TheirRegression
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Perceptron
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier as TheirNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

import novacula as nv
from novacula.errors import DataError, ModelFileError, ParameterError, UnseenCategoryWarning
from novacula.study import learn
from novacula.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(3)
    n = 240
    frame = pd.DataFrame({"x": rng.normal(size=n), "kind": rng.choice(["a", "b", "c"], n)})
    frame["y"] = np.where((frame.x > 0) ^ (frame.kind == "a"), "yes", "no")
    frame.loc[5:25, "x"] = np.nan
    frame.loc[30:35, "kind"] = None
    return frame


def entry_of(study, name):
    [entry] = [entry for entry in study.leaderboard if entry.name.startswith(name)]
    return entry


def test_errors_are_those_that_scikit_learn_measures_on_the_same_folds():
    study = learn(nv.datasets.load("iris"), learners=["naive-bayes", TheirNeighbors(3)], folds=4, jobs=1)
    X, y = study.question.train.X.to_pandas().drop(columns=study.question.target), study.question.train.y
    errors = []
    for train, held_out in study.question.folds:
        means, spreads = X.iloc[train].mean(), X.iloc[train].std(ddof=0)
        fitted = TheirNeighbors(3).fit((X.iloc[train] - means) / spreads, y[train])
        errors.append(np.mean(fitted.predict((X.iloc[held_out] - means) / spreads) != y[held_out]))
    np.testing.assert_allclose(entry_of(study, "KNeighborsClassifier").fold_errors, errors)


def test_a_pipeline_is_given_the_columns_as_they_are(mixed):
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), ["kind"]), (SimpleImputer(), ["x"])
    )
    pipeline = make_pipeline(columns, TheirLogistic())
    study = learn(mixed, "y", learners=["naive-bayes", pipeline], folds=4, test=0.0, jobs=1)
    rows = mixed.fillna({"kind": np.nan})
    theirs = 1 - cross_val_score(pipeline, rows.drop(columns="y"), rows.y, cv=list(study.question.folds))
    np.testing.assert_allclose(entry_of(study, "ColumnTransformer → Logistic").fold_errors, theirs)


def test_a_category_that_a_pipeline_has_not_seen_is_a_missing_one(mixed):
    imputed = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="none"), OneHotEncoder(handle_unknown="ignore")
    )
    pipeline = make_pipeline(make_column_transformer((imputed, ["kind"])), TheirLogistic())
    model = learn(mixed, "y", learners=[pipeline], folds=3, test=0.0, rule="min", jobs=1).question
    fitted = model.fit(next(iter(model.guests)), None, model.train)
    rows = pd.DataFrame({"x": [0.0, 0.0], "kind": ["never seen", None]})
    with pytest.warns(UnseenCategoryWarning):
        first, second = fitted.predict_proba(rows)
    np.testing.assert_allclose(first, second)


def test_one_that_is_chosen_is_a_model_with_all_but_a_file(mixed, tmp_path):
    study = learn(mixed, "y", learners=["naive-bayes", RandomForestClassifier(30)], folds=3, rule="min", jobs=1)
    assert study.is_foreign
    assert study.choice.entry.name == "RandomForestClassifier(n_estimators=30, random_state=0)"
    assert any(finding.kind == "foreign" for finding in study.findings)
    rows = mixed.drop(columns="y")
    assert set(study.best_.predict(rows)) == {"yes", "no"}
    np.testing.assert_allclose(study.best_.predict_proba(rows).sum(axis=1), 1.0)
    assert "derives nothing" in str(study.best_.work())
    with pytest.raises(ModelFileError, match=r"RandomForestClassifier is another's; keep it with pickle"):
        study.best_.save(tmp_path / "model.nova")
    study.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "study.best_.predict" in page
    assert "novacula predict" not in page
    assert "RandomForestClassifier(n_estimators=30, random_state=0)" in page


def test_one_of_ours_keeps_its_parameters_and_its_file(mixed, tmp_path):
    study = learn(mixed, "y", learners=[DecisionTreeClassifier(max_depth=2)], folds=3, test=0.0, rule="min", jobs=1)
    entry = entry_of(study, "DecisionTreeClassifier(max_depth=2")
    assert (entry.status, entry.size, study.is_foreign) == ("finished", None, False)
    study.best_.save(tmp_path / "model.nova")
    assert nv.load(tmp_path / "model.nova").model_.max_depth == 2


def test_regression_scores_weights_and_processes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "w": rng.integers(1, 4, 200)})
    frame["y"] = 3 * frame.x + 0.1 * rng.normal(size=200)
    table = nv.read(frame, target="y", weight="w")
    given = ["linear-regression", TheirRegression(), HistGradientBoostingRegressor(max_iter=20), DummyRegressor()]
    study = learn(table, learners=given, folds=3, jobs=2, budget=None)
    linear, mean = entry_of(study, "Linear regression"), entry_of(study, "Mean")
    assert "LinearRegression() has the same errors" in linear.note  # one row, and it is ours
    assert "DummyRegressor() has the same errors" in mean.note
    theirs = entry_of(study, "HistGradientBoostingRegressor")
    assert theirs.status == "finished"
    assert theirs.n_parameters > 100  # counted by the size of its pickle
    assert mean.error > 10 * linear.error


def test_decision_values_are_enough_where_the_metric_needs_no_more(mixed):
    study = learn(mixed, "y", learners=["naive-bayes", SVC(), Perceptron()], metric="auc", folds=3, jobs=1)
    assert entry_of(study, "SVC").status == entry_of(study, "Perceptron").status == "finished"
    study = learn(mixed, "y", learners=["naive-bayes", SVC(), Perceptron()], metric="log_loss", folds=3, jobs=1)
    assert entry_of(study, "Perceptron").status == "left out"


def test_one_that_fails_costs_its_own_row(mixed):
    table = nv.read(mixed.assign(w=np.tile([1.0, 2.0], 120)), target="y", weight="w")
    study = learn(table, learners=["naive-bayes", TheirNeighbors()], folds=3, jobs=1)
    entry = entry_of(study, "KNeighborsClassifier")
    assert (entry.status, entry.note) == (
        "failed",
        "KNeighborsClassifier takes no weights of rows, which these rows have",
    )


def test_the_seed_and_the_folder_of_earlier_cells_hold_for_them_too(mixed, tmp_path):
    def study(forest):
        return learn(mixed, "y", learners=["naive-bayes", forest], folds=3, jobs=1, resume=tmp_path, test=0.0)

    first = study(RandomForestClassifier(5))
    cells = len(next(tmp_path.glob("cells-*")).read_text().splitlines())
    again = study(RandomForestClassifier(5))
    assert len(next(tmp_path.glob("cells-*")).read_text().splitlines()) == cells
    assert entry_of(again, "RandomForest").error == entry_of(first, "RandomForest").error
    study(RandomForestClassifier(6))
    assert len(next(tmp_path.glob("cells-*")).read_text().splitlines()) == cells + 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([RandomForestClassifier], r"it takes names of learners, and estimators such as RandomForestClassifier\(\)"),
        ([7], "learners holds 7; it takes names"),
        ([TheirRegression()], r"LinearRegression\(\) is no learner for classification"),
        (["sklearn.svm.SVX"], "there is no learner 'sklearn.svm.SVX': a name with dots is a class of a library"),
        (["nowhere.at.all"], "there is no learner 'nowhere.at.all'"),
        (["sklearn.pipeline.Pipeline"], "cannot be made as it comes"),
        ("decision-tree", "it must be a list"),
    ],
)
def test_what_cannot_take_part_is_refused_in_one_sentence(mixed, given, message):
    with pytest.raises((ParameterError, DataError), match=message):
        learn(mixed, "y", learners=given, jobs=1)
