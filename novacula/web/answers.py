"""Rows as answers: the rows of many requests are laid out and answered together, and each request gets its own."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from novacula.errors import ModelFileError
from novacula.table import Chunk, Table
from novacula.table.chunk import UNSEEN
from novacula.table.chunk_source import ChunkSource
from novacula.web.asked import NAME, JsonRows, laid_out_text
from novacula.web.refusal import UNFIT, RefusedRequest, ServiceLimits

TASKS = ("classification", "regression", "clustering")
"""Models of these answer row by row, so that the rows of several requests can be answered together."""
Asked: TypeAlias = list[list[Any]] | Chunk
"""The rows of a request: values by row, or laid out already."""


@dataclass(frozen=True)
class TextBody:
    """A body of delimited text."""

    content: bytes
    ending: str
    encoding: str | None


class ModelAnswers:
    """Answers of a fitted model, as JSON."""

    def __init__(self, model: Any, limits: ServiceLimits) -> None:
        self.model = model
        self.schema = model.schema_
        self.limits = limits
        self.rows = JsonRows(model.schema_, limits.rows)
        self.labels = [str(label) for label in model.classes_.tolist()] if _has_probabilities(model) else []
        require_served(model)

    def lay_out(self, body: TextBody) -> Chunk:
        """A body of text as rows of the model."""
        with quiet():
            return laid_out_text(body.content, body.ending, body.encoding, self.schema, self.limits.rows)

    def answer_each(self, asked: Sequence[Asked]) -> list[bytes | Exception]:
        """The answers to several requests, or what is wrong with each; where one fails, the others do not."""
        try:
            return list(self._answer_together(asked))
        except Exception as error:
            if len(asked) > 1:
                return [answer for one in asked for answer in self.answer_each([one])]
            return [RefusedRequest(UNFIT, str(error)) if is_of_rows(error) else error]

    def _answer_together(self, asked: Sequence[Asked]) -> Iterator[bytes]:
        with quiet():
            chunk = self._joined(asked)
            table = Table(ChunkSource(chunk, self.schema, NAME), self.schema, unseen="ignore", progress=False)
            predictions = np.asarray(self.model.predict(table)).tolist()
            shares = self.model.predict_proba(table).tolist() if self.labels else None
        new = chunk.codes == UNSEEN
        has_new = bool(new.any())
        ends = np.cumsum([0, *map(len, asked)]).tolist()
        for start, stop in pairwise(ends):
            answers = [
                {"prediction": _plain(predictions[row])}
                if shares is None
                else {"prediction": predictions[row], "probabilities": self._by_label(shares[row])}
                for row in range(start, stop)
            ]
            unseen = self._unseen(new[start:stop]) if has_new else {}
            yield json.dumps({"answers": answers, "unseen": unseen}, ensure_ascii=False, allow_nan=False).encode()

    def _joined(self, asked: Sequence[Asked]) -> Chunk:
        """The rows of all requests, in their order, as one chunk."""
        parts: list[Chunk] = []
        waiting: list[list[Any]] = []
        for one in asked:
            if isinstance(one, list):
                waiting += one
                continue
            if waiting:
                parts.append(self.rows.laid_out(waiting))
                waiting = []
            parts.append(one)
        if waiting:
            parts.append(self.rows.laid_out(waiting))
        return Chunk.concatenate(parts)

    def _by_label(self, shares: list[float]) -> dict[str, float | None]:
        return {label: _plain(share) for label, share in zip(self.labels, shares, strict=True)}

    def _unseen(self, new: Any) -> dict[str, int]:
        """How many rows have a category that was not there at fit, by column."""
        columns = self.schema.of_kind("categorical")
        counts = np.count_nonzero(new, axis=0).tolist()
        return {column.name: count for column, count in zip(columns, counts, strict=True) if count}


def require_served(model: Any) -> None:
    """Refuse a model that does not answer rows of named columns, one by one."""
    kind = type(model).__name__
    if model.card.task not in TASKS or not hasattr(model, "predict"):
        raise ModelFileError(f"{kind} does not predict row by row, so it cannot be served: save a model that does")
    if model.schema_.of_kind("sparse"):
        raise ModelFileError(f"{kind} was fitted to a sparse matrix, whose columns have no names to ask by")


def is_of_rows(error: Exception) -> bool:
    """Whether an error is a sentence about rows."""
    return type(error).__module__ == ModelFileError.__module__ and isinstance(error, (ValueError, TypeError))


def quiet() -> Any:
    """A block without warnings: what they say of rows, answers say of each request."""
    return warnings.catch_warnings(action="ignore")


def _has_probabilities(model: Any) -> bool:
    return hasattr(model, "predict_proba") and hasattr(model, "classes_")


def _plain(value: Any) -> Any:
    """A number that is not finite as null, since JSON has no other word for it."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
