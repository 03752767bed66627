"""What a served model takes and gives: its columns, an example of a row, and OpenAPI."""

from __future__ import annotations

import math
from typing import Any

from novacula.prepare.base import PreparedLearner
from novacula.table import Column
from novacula.version import __version__
from novacula.web.refusal import ServiceLimits

Json = dict[str, Any]

TYPES = {"numeric": "number", "categorical": "category", "text": "text"}
NAMED = 100
"""Categories that OpenAPI names of a column."""
REFUSALS = {
    "400": "The body is not JSON, or text that can be read.",
    "408": "The request did not come in time.",
    "413": "The body is too long, or has too many rows.",
    "415": "The body is of a type that is not taken.",
    "422": "The rows do not fit the columns of the model.",
    "503": "Too much is asked at a time, or it takes too long.",
}


def name_of(model: Any) -> str:
    """What a model is called; behind a preparation, what the learner is."""
    return str((model.model_ if isinstance(model, PreparedLearner) else model).card.name)


def described(model: Any) -> Json:
    """The model and its columns."""
    columns = [_described_column(column) for column in model.schema_.features]
    labels = {"classes": model.classes_.tolist()} if hasattr(model, "classes_") else {}
    return {"model": name_of(model), "task": model.card.task, "columns": columns, **labels}


def _described_column(column: Column) -> Json:
    about: Json = {"name": column.name, "type": "date" if column.is_time else TYPES[column.kind]}
    if column.kind == "categorical":
        about["categories"] = list(column.categories)
    return about


def example_row(model: Any) -> Json:
    """A row as it may be asked: numbers near those that were seen, as far as the model knows them, first categories."""
    middles = _middles(model)
    return {column.name: _example(column, middles.get(column.name)) for column in model.schema_.features}


def _middles(model: Any) -> dict[str, float]:
    """Numbers in the midst of those that were seen, by column: means of a preparation, or halves of a range."""
    seen = [column for column in model.schema_.features if column.low is not None and column.high is not None]
    middles = {column.name: (column.low + column.high) / 2.0 for column in seen}
    if isinstance(model, PreparedLearner):
        encoding = model.preparation_.encoding
        columns = encoding.schema.of_kind("numeric")
        middles |= {column.name: float(mean) for column, mean in zip(columns, encoding.centre, strict=True)}
    return middles


def _example(column: Column, middle: float | None) -> Any:
    if column.kind == "categorical":
        return column.categories[0] if column.categories else None
    if column.kind == "text":
        return "some words"
    if column.is_time:
        return "2024-01-31"
    number = 0.0 if middle is None or not math.isfinite(middle) else float(f"{middle:.4g}")
    return int(number) if number.is_integer() else number


def open_api(model: Any, limits: ServiceLimits) -> Json:
    """The service in the form of OpenAPI 3.1."""
    row = {"$ref": "#/components/schemas/Row"}
    rows = {"oneOf": [row, {"type": "array", "items": row, "minItems": 1, "maxItems": limits.rows}]}
    text = {"schema": {"type": "string"}}
    body = {"application/json": {"schema": rows, "example": example_row(model)}, "text/csv": text}
    asked = {"required": True, "content": {**body, "text/tab-separated-values": text}}
    refused = {status: {"description": words, **_content("Error")} for status, words in REFUSALS.items()}
    answered = {"200": {"description": "An answer for each row.", **_content("Answers")}}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{name_of(model)}, served by Novacula", "version": __version__},
        "paths": {
            "/predict": {
                "post": {
                    "summary": "Predict one row or several.",
                    "operationId": "predict",
                    "requestBody": asked,
                    "responses": {**answered, **refused},
                }
            },
            "/schema": _read("The model and its columns.", "schema"),
            "/health": _read("Whether the service is there.", "health"),
        },
        "components": {"schemas": {"Row": _row(model), "Answers": _answers(model), "Error": _error()}},
    }


def _content(name: str) -> Json:
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}}


def _read(summary: str, name: str) -> Json:
    answer = {"description": summary, "content": {"application/json": {"schema": {"type": "object"}}}}
    return {"get": {"summary": summary, "operationId": name, "responses": {"200": answer}}}


def _row(model: Any) -> Json:
    properties = {column.name: _property(column) for column in model.schema_.features}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _property(column: Column) -> Json:
    if column.is_time:
        words = "A date such as 2024-01-31 or 2024-01-31T12:30:00Z, or seconds since the beginning of 1970."
        return {"type": ["string", "number", "null"], "description": words}
    if column.kind == "numeric":
        return {"type": ["number", "null"]}
    if column.kind == "text":
        return {"type": ["string", "null"]}
    return {
        "type": ["string", "number", "boolean", "null"],
        "description": "A category; one that was not there at fit is answered too, and counted.",
        "examples": list(column.categories[:NAMED]),
    }


def _answers(model: Any) -> Json:
    answer: Json = {"type": "object", "properties": {"prediction": {}}, "required": ["prediction"]}
    if hasattr(model, "classes_"):
        answer["properties"]["prediction"] = {"enum": model.classes_.tolist()}
    if hasattr(model, "predict_proba"):
        answer["properties"]["probabilities"] = {"type": "object", "additionalProperties": {"type": "number"}}
    unseen = {"type": "object", "additionalProperties": {"type": "integer"}}
    properties = {"answers": {"type": "array", "items": answer}, "unseen": unseen}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _error() -> Json:
    return {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
