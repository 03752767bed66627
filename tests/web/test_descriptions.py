"""What a service says of itself: columns, OpenAPI, the page."""

import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from novacula.bayes import NaiveBayes
from novacula.checks.samples import NASTY_NAMES
from novacula.prepare import PreparedClassifier
from novacula.web.service import service

from .asgi import get, post

HOME = "http://127.0.0.1:8000"
NAMES = [name for name in NASTY_NAMES if name]


@pytest.fixture(scope="module")
def nasty():
    """A service of a model whose columns, categories and classes have names that have broken pages."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice([*NAMES, "plain"], 60) for name in NAMES[:4]})
    frame = frame.assign(**{name: rng.normal(size=60) for name in NAMES[4:]})
    return service(PreparedClassifier(NaiveBayes()).fit(frame, rng.choice(NAMES, 60)), HOME)


def test_columns_are_named_with_their_types(nasty):
    said = get(nasty, "/schema").json
    assert [column["name"] for column in said["columns"]] == NAMES
    assert {column["type"] for column in said["columns"]} == {"number", "category"}
    assert set(said["columns"][0]["categories"]) == {*NAMES, "plain"}
    assert set(said["classes"]) == set(NAMES)
    assert (said["model"], said["task"]) == ("Naive Bayes", "classification")


def test_health_is_a_word(nasty):
    assert get(nasty, "/health").json == {"status": "ok"}


def test_the_example_of_open_api_is_answered_and_every_reference_is_there(nasty):
    said = get(nasty, "/openapi.json").json
    assert said["openapi"].startswith("3.1")
    content = said["paths"]["/predict"]["post"]["requestBody"]["content"]
    answered = post(nasty, content["application/json"]["example"])
    assert answered.status == 200
    assert set(answered.json["answers"][0]["probabilities"]) == set(NAMES)
    row = said["components"]["schemas"]["Row"]
    assert row["required"] == list(row["properties"]) == NAMES
    named = {word.rpartition("/")[2] for word in json.dumps(said).split('"') if word.startswith("#/components/")}
    assert named == said["components"]["schemas"].keys()
    assert {"400", "408", "413", "415", "422", "503"} < said["paths"]["/predict"]["post"]["responses"].keys()


class PageReader(HTMLParser):
    """The tags of a page, and the text between them."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def test_the_page_says_how_to_ask_and_runs_nothing(nasty):
    answered = get(nasty, "/")
    assert answered.headers["content-security-policy"].startswith("default-src 'none'")
    page = PageReader()
    page.feed(answered.body.decode())
    tags = {tag for tag, _ in page.tags}
    assert tags.isdisjoint({"script", "img", "link", "iframe", "form", "object", "embed"})
    assert {"h1", "pre", "table", "a"} < tags
    assert not any(name.startswith("on") or name == "style" for _, attributes in page.tags for name in attributes)
    assert "<script>alert(1)</script>" in page.text  # as text
    assert f"curl {HOME}/predict" in page.text
    assert '"prediction"' in page.text


def test_a_wide_model_has_a_short_page():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 300)), columns=[f"c{j}" for j in range(300)])
    page = get(service(NaiveBayes().fit(X, np.arange(30) % 2), HOME), "/").body.decode()
    assert "… and 100 more." in page
