"""What a service refuses, with which status, and that it says so in one sentence."""

import json
import threading

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import novacula as nv
from novacula.errors import ModelFileError
from novacula.linear import LinearRegression
from novacula.mixture import KMeans
from novacula.projection import PCA
from novacula.tree import DecisionTreeClassifier
from novacula.web.refusal import ServiceLimits
from novacula.web.service import service

from .asgi import as_json, get, post, post_body, running

HOME = "http://127.0.0.1:8000"
LIMITS = ServiceLimits(body_bytes=2_000, rows=3, seconds=20.0)
ROW = {"a": 1, "b": 2.5}


def planes():
    X = pd.DataFrame({"a": np.arange(20.0), "b": np.arange(20.0) % 3})
    return LinearRegression().fit(X, X["a"] + X["b"])


@pytest.fixture(scope="module")
def served():
    return service(planes(), HOME, LIMITS)


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b'{"a": 1,', 400, "this cannot be read as JSON: expecting property name enclosed in double quotes at line 1"),
        (b"\xff\xfe\xff", 400, "this cannot be read as JSON: it is not text in UTF-8"),
        (b"[" * 1_900, 400, "this cannot be read as JSON: it is nested too deeply"),
        (b'{"a": NaN, "b": 1}', 400, "NaN is not a number of JSON; null stands for a missing value"),
        (b'{"a": -Infinity, "b": 1}', 400, "-Infinity is not a number of JSON"),
        (b"", 422, "the request has no body"),
        (b"1.5", 422, 'a row is an object, such as {"column": 1.5}, and this is 1.5'),
        (b"[]", 422, "there are no rows in the list"),
        (b'[{"a": 1, "b": 2}, [1, 2]]', 422, "row 2 is a list of 2 values; a row is an object of columns and values"),
        (b'{"a": 1}', 422, "row 1 has no column 'b', which the model needs"),
        (b'{"a": "1", "b": 2}', 422, "row 1 has '1', which is not a number in column 'a'"),
        (b'{"a": true, "b": 2}', 422, "row 1 has true, which is not a number in column 'a'"),
        (b'{"a": {}, "b": 2}', 422, "row 1 has an object, which is not a number in column 'a'"),
        (b'{"a": 1e999, "b": 2}', 422, "row 1 has a number beyond the range of 64 bits in column 'a'"),
        (b'{"a": 1' + b"0" * 400 + b', "b": 2}', 422, "row 1 has a number beyond the range of 64 bits in column 'a'"),
        (b'{"a": null, "b": 2}', 422, "column 'a' is missing (NaN) in row 1 of the request"),
        (json.dumps([ROW] * 4).encode(), 413, "there are 4 rows, and a request may have 3"),
        (b" " * 2_001, 413, "a request may have 2,000 bytes"),
    ],
)
def test_a_body_of_json_that_cannot_be_answered(served, body, status, sentence):
    answered = post_body(served, body)
    assert (answered.status, sentence in answered.error) == (status, True), answered.error
    assert answered.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"a,b\n", 422, ""),
        (b"a,c\n1,2\n", 422, "the request has no column 'b', which the model knows"),
        (
            b"a,b\n1,2\nx,3\n",
            422,
            "holds 1 other value, the first being 'x' in row 2 of the request: send a number, or nothing",
        ),
        (b"a,b\n1,2\n1,\n", 422, "column 'b' is missing (NaN) in row 2 of the request"),
        (b"a,b\n1,2\n1,2,3\n", 422, ""),
        (b"a,b\n" + b"1,2\n" * 4, 413, "there are 4 rows, and a request may have 3"),
    ],
)
def test_text_that_cannot_be_answered(served, body, status, sentence):
    answered = post_body(served, body, "text/csv")
    assert (answered.status, sentence in answered.error) == (status, True), answered.error
    assert "\n" not in answered.error
    assert "novacula-" not in answered.error


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "nonsense", "multipart/form-data; boundary=x", None])
def test_a_type_that_is_not_taken(served, kind):
    answered = post_body(served, b"{}", kind)
    assert answered.status == 415
    assert "send application/json, text/csv or text/tab-separated-values" in answered.error


def test_types_may_have_parameters_and_tables_tabs(served):
    expected = post(served, ROW).body
    assert post_body(served, json.dumps(ROW).encode(), "Application/JSON; charset=utf-8").body == expected
    assert post_body(served, b"a,b\n1,2.5\n", "text/csv; header=present").body == expected
    assert (
        post_body(served, "b\ta\n2.5\t1\n".encode("utf-16"), "text/tab-separated-values; charset=utf-16").body
        == expected
    )
    for charset in ("klingon", "rot13", "idna"):
        assert post_body(served, b"a,b\n1,2.5\n", f"text/csv; charset={charset}").status == 415


def test_a_body_is_counted_where_no_length_is_said(served):
    kind = {"content-type": "application/json"}
    [answered] = running(served, [("POST", "/predict", [b" " * 900] * 3, kind)])
    assert answered.status == 413
    [answered] = running(served, [("POST", "/predict", [b"{}"], kind | {"content-length": "9999999"})])
    assert answered.status == 413


def test_a_body_that_does_not_come_is_not_waited_for():
    hasty = service(planes(), HOME, ServiceLimits(seconds=0.05))
    [answered] = running(hasty, [("POST", "/predict", [b"[", None], {"content-type": "application/json"})])
    assert answered.status == 408
    assert answered.error == "the request did not come within 0.05 seconds"


def test_an_answer_that_takes_too_long_and_rows_that_wait_too_long(monkeypatch):
    slow = service(planes(), HOME, ServiceLimits(rows=2, seconds=0.05))
    over = threading.Event()
    monkeypatch.setattr(LinearRegression, "predict", lambda self, X: over.wait(10.0) and np.zeros(len(X)))
    timer = threading.Timer(0.5, over.set)
    timer.start()
    answered = running(slow, [as_json(ROW)] * 10)
    timer.join()
    late, busy = "the answer took more than 0.05 seconds", "8 rows are waiting for their answers already"
    assert {one.status for one in answered} == {503}
    assert sum(one.error.startswith(late) for one in answered) == 8
    assert sum(one.error.startswith(busy) for one in answered) == 2


def test_a_model_that_breaks_is_a_sentence_and_not_the_end(served, monkeypatch, caplog):
    def broken(self, X):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(LinearRegression, "predict", broken)
    answered = post(served, ROW)
    assert answered.status == 500
    assert "secret" not in answered.error
    assert "ZeroDivisionError: secret" in caplog.text
    monkeypatch.undo()
    assert post(served, ROW).status == 200


def test_paths_and_methods_that_are_not_there(served):
    missing = get(served, "/nothing")
    assert missing.status == 404
    assert missing.error.startswith("there is nothing at '/nothing': POST /predict")
    wrong = get(served, "/predict")
    assert wrong.status == 405
    assert wrong.error.startswith("'/predict' does not take GET")


def test_another_host_is_refused_where_hosts_are_known():
    guarded = service(planes(), HOME, LIMITS, frozenset({"127.0.0.1:8000", "localhost:8000"}))
    for host in ("127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000"):
        assert get(guarded, "/health", host=host).status == 200
    for host in ("evil.example", "127.0.0.1", "localhost:9", "127.0.0.1:8000.evil.example", ""):
        refused = get(guarded, "/health", host=host)
        assert refused.status == 403
        assert refused.error == "this service answers to 127.0.0.1:8000 and localhost:8000 only"
    assert get(guarded, "/health").status == 403


def test_models_that_do_not_answer_row_by_row_are_not_served():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ModelFileError, match="PCA does not predict row by row"):
        service(PCA(2).fit(X), HOME)
    with pytest.raises(ModelFileError, match="LinearRegression was fitted to a sparse matrix"):
        service(LinearRegression().fit(csr_matrix(X), X[:, 0]), HOME)
    service(KMeans(2).fit(X), HOME)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"a,b\nx,1\n", "send a number, or nothing where there is none"),
        ("a,b,ü\n1,2,é\n".encode("cp437"), "say charset="),
        (b"a,a,b\n1,2,3\n", "a name of its own for each column"),
    ],
)
def test_advice_is_what_a_request_can_do(served, body, sentence):
    error = post_body(served, body, "text/csv").error
    assert sentence in error
    assert "--" not in error
    assert "names=" not in error


def test_numbers_in_text_may_be_written_in_other_ways_than_at_the_fit(tmp_path):
    rows = [f"{i}.835,00;{i}%;{'ja' if i > 4 else 'nein'}\n" for i in range(1, 10)]
    (tmp_path / "t.csv").write_text("p;q;y\n" + "".join(rows))
    model = DecisionTreeClassifier().fit(nv.read(tmp_path / "t.csv", "y"))
    app = service(model, HOME)
    answers = [
        json.loads(post_body(app, body, "text/csv").body) for body in (b"p,q\n3835.0,14\n", b"p;q\n3.835,00;14%\n")
    ]
    assert answers[0] == answers[1]
    assert answers[0]["answers"][0]["prediction"] == "nein"
