"""What a served model answers: the same as `novacula predict`, whoever else asks at the same time."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.linear import LinearRegression, LogisticRegression, Ridge
from novacula.mixture import KMeans
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.tree import DecisionTreeClassifier
from novacula.web.service import LONG, service

from .asgi import as_json, post, post_body, running

HOME = "http://127.0.0.1:8000"


def people(n=80, seed=0):
    """Numbers, words and truth values, with gaps in some of them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n).round(1),
            "rooms": rng.integers(1, 6, n),
            "job": rng.choice(["baker", "smith", "nurse"], n),
            "owns": rng.choice([True, False], n),
        }
    )
    frame.loc[::9, "age"] = np.nan
    frame.loc[::11, "job"] = None
    return frame


def target(frame):
    return np.where((frame["age"].fillna(40.0) > 40) ^ (frame["job"] == "smith"), "yes", "no")


@pytest.fixture(scope="module")
def model():
    frame = people()
    return PreparedClassifier(LogisticRegression()).fit(frame, target(frame))


@pytest.fixture(scope="module")
def served(model):
    return service(model, HOME)


def objects(frame):
    """Rows as JSON has them: no NaN, and the numbers of Python."""
    return json.loads(frame.to_json(orient="records"))


MODELS = {
    "prepared classifier": lambda X, y: PreparedClassifier(LogisticRegression()).fit(X, y),
    "prepared regressor": lambda X, y: PreparedRegressor(LinearRegression()).fit(X, X["rooms"] * 2.5),
    "naive Bayes": lambda X, y: NaiveBayes().fit(X, y),
    "tree of whole numbers": lambda X, y: DecisionTreeClassifier().fit(X, X["rooms"]),
    "tree of truth values": lambda X, y: DecisionTreeClassifier().fit(X[["age", "rooms"]], X["owns"]),
    "clusters": lambda X, y: KMeans(3).fit(X[["rooms"]].assign(age=X["age"].fillna(40.0))),
}


@pytest.mark.parametrize("make", MODELS.values(), ids=list(MODELS))
def test_answers_are_those_of_predict(make, tmp_path):
    frame = people()
    fitted, rows = make(frame, target(frame)), people(12, seed=1).fillna({"age": 38.5})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    read = nv.read(tmp_path / "rows.csv").conform(fitted.schema_, "ignore")
    expected = fitted.predict(read).tolist()
    application = service(fitted, HOME)
    by_json = post(application, objects(rows)).json
    by_text = post_body(application, (tmp_path / "rows.csv").read_bytes(), "text/csv").json
    one_by_one = [post(application, row).json["answers"] for row in objects(rows)]
    assert by_json == by_text
    assert by_json["unseen"] == {}
    for answers in (by_json["answers"], [answer for [answer] in one_by_one]):
        assert [answer["prediction"] for answer in answers] == pytest.approx(expected)
        if hasattr(fitted, "predict_proba"):
            shares = [list(answer["probabilities"].values()) for answer in answers]
            assert [list(answer["probabilities"]) for answer in answers] == [
                list(map(str, fitted.classes_.tolist()))
            ] * 12
            np.testing.assert_allclose(shares, fitted.predict_proba(read), rtol=1e-12)


def test_other_columns_are_ignored_and_the_order_is_any(served):
    [row] = objects(people(1, seed=2).fillna({"age": 30.0}))
    shuffled = {"colour": "red", **dict(reversed(row.items())), "list": [1, {}]}
    assert post(served, shuffled).body == post(served, row).body


def test_many_rows_are_answered_as_few(served):
    rows = objects(people(1200, seed=4).fillna({"age": 30.0, "job": "nurse"}))
    assert len(json.dumps(rows)) > LONG
    answers = post(served, rows).json["answers"]
    for start in (0, 450, 895):
        few = post(served, rows[start : start + 5]).json["answers"]
        assert [one["prediction"] for one in answers[start : start + 5]] == [one["prediction"] for one in few]
    assert len(answers) == 1200


def test_unseen_categories_are_answered_as_the_model_does_and_counted(model, served):
    rows = objects(people(4, seed=2).fillna({"age": 30.0, "job": "smith"}))
    rows[1]["job"] = rows[3]["job"] = "pilot"
    frame = pd.DataFrame(rows)
    with pytest.warns(nv.errors.UnseenCategoryWarning, match=r"'job' \(2\)"):
        expected = model.predict(frame).tolist()
    answered = post(served, rows).json
    assert [answer["prediction"] for answer in answered["answers"]] == expected
    assert answered["unseen"] == {"job": 2}


def test_a_model_that_refuses_unseen_categories_refuses_them_here():
    frame = people()
    application = service(NaiveBayes(unseen="error").fit(frame, target(frame)), HOME)
    [row] = objects(people(1, seed=2).fillna({"age": 30.0}))
    answered = post(application, row | {"job": "pilot"})
    assert answered.status == 422
    assert answered.error == "row 1 of the request holds a category in column 'job' that is none of those known"


def test_a_category_may_be_written_as_a_number_a_word_or_a_truth_value():
    frame = pd.DataFrame({"size": pd.Categorical([1, 2, 3] * 10), "flag": [True, False] * 15})
    model = NaiveBayes().fit(frame, np.where(frame["flag"] & (frame["size"].astype(int) > 1), "a", "b"))
    application = service(model, HOME)
    same = [post(application, {"size": size, "flag": flag}).body for size in (2, 2.0, "2") for flag in (True, "true")]
    assert len(set(same)) == 1
    assert json.loads(same[0])["unseen"] == {}


def test_dates_are_text_or_seconds():
    days = pd.date_range("2020-01-01", periods=60, freq="7D")
    frame = pd.DataFrame({"day": days, "x": np.arange(60.0) % 7})
    model = PreparedRegressor(Ridge()).fit(frame, np.asarray(days.day_of_year, float))
    application = service(model, HOME)
    moments = ("2020-03-01", "2020-03-01T00:00:00Z", 1583020800, 1583020800.0)
    bodies = {post(application, {"day": moment, "x": 2}).body for moment in moments}
    assert len(bodies) == 1
    [expected] = model.predict(pd.DataFrame({"day": [pd.Timestamp("2020-03-01")], "x": [2.0]}))
    assert json.loads(bodies.pop())["answers"][0]["prediction"] == pytest.approx(expected, rel=1e-12)
    refused = post(application, [{"day": "2020-03-01", "x": 2}, {"day": "soon", "x": 2}])
    assert refused.status == 422
    assert "row 2 of the request holds 'soon' in column 'day', which is not a date" in refused.error


def test_requests_that_come_together_are_answered_in_one_pass(model, monkeypatch):
    passes = []
    answer = PreparedClassifier.predict

    def counting(self, X):
        passes.append(len(X))
        return answer(self, X)

    application = service(model, HOME)
    rows = objects(people(40, seed=3).fillna({"age": 30.0, "job": "nurse"}))
    alone = [post(application, row).body for row in rows]
    monkeypatch.setattr(PreparedClassifier, "predict", counting)
    together = [answered.json for answered in running(application, map(as_json, rows))]
    assert passes == [40]
    for one, other in zip(map(json.loads, alone), together, strict=True):
        assert one["answers"][0]["prediction"] == other["answers"][0]["prediction"]
        assert one["answers"][0]["probabilities"] == pytest.approx(other["answers"][0]["probabilities"], rel=1e-12)


def test_a_request_that_is_refused_leaves_the_others_alone():
    X = pd.DataFrame({"a": np.arange(20.0), "b": np.arange(20.0) % 3})
    application = service(LinearRegression().fit(X, X["a"] + X["b"]), HOME)
    good, bad = {"a": 1, "b": 2}, [{"a": 1, "b": 2}, {"a": None, "b": 1}]
    answered = running(application, map(as_json, [good, good, bad, good, bad]))
    assert [one.status for one in answered] == [200, 200, 422, 200, 422]
    assert answered[1].json["answers"][0]["prediction"] == pytest.approx(3.0)
    for one in (answered[2], answered[4]):  # by the number of the row in its own request
        assert one.error.startswith("column 'a' is missing (NaN) in row 2 of the request")


values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers(), max_size=2), st.just({})
)
rows = st.dictionaries(st.sampled_from(["age", "rooms", "job", "owns", "other"]), values)


@given(st.one_of(values, rows, st.lists(st.one_of(rows, values), max_size=3)))
@settings(max_examples=60, deadline=None)
def test_whatever_is_asked_is_answered_or_refused_in_a_sentence(asked):
    answered = post_body(APPLICATION, json.dumps(asked).encode())
    if answered.status == 200:
        assert len(answered.json["answers"]) == (len(asked) if isinstance(asked, list) else 1)
    else:
        assert answered.status in (400, 422)
        assert "\n" not in answered.error


@given(st.binary(min_size=1, max_size=80), st.sampled_from(["application/json", "text/csv"]))
@settings(max_examples=40, deadline=None)
def test_whatever_bytes_come_are_refused_in_a_sentence(body, kind):
    answered = post_body(APPLICATION, body, kind)
    assert answered.status in (400, 422)
    assert "\n" not in answered.error
    assert "novacula-" not in answered.error  # the folder of the file that it was for a moment


def _application():
    frame = people()
    return service(PreparedClassifier(NaiveBayes()).fit(frame, target(frame)), HOME)


APPLICATION = _application()
