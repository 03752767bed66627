"""The application: what is asked at which path, and how it is refused. Predictions run on a thread of their own."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from email.message import Message
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from novacula.errors import ParameterError
from novacula.table.encoding import known_encoding
from novacula.web.answers import Asked, ModelAnswers, TextBody
from novacula.web.description import described, example_row, open_api
from novacula.web.page import HEADERS, page
from novacula.web.queue import AnswerQueue
from novacula.web.refusal import (
    BROKEN,
    BUSY,
    FORBIDDEN,
    TOO_LARGE,
    TOO_SLOW,
    UNFIT,
    UNKNOWN_TYPE,
    RefusedRequest,
    ServiceLimits,
)

TEXT = {"text/csv": ".csv", "text/tab-separated-values": ".tsv"}
"""Types of bodies that are tables as text, and what files of them are called."""
LONG = 1 << 16
"""Bytes of JSON that take a millisecond or more to read."""
PATHS = "POST /predict, GET /schema, /openapi.json, /health and / are what can be asked"
Endpoint = Callable[[Request], Awaitable[Response]]

_log = logging.getLogger(__name__)


def service(
    model: Any, address: str, limits: ServiceLimits | None = None, hosts: frozenset[str] | None = None
) -> Starlette:
    """The application that answers for a fitted model; `hosts`: the only values of the header Host that it takes."""
    served = ServedModel(model, limits or ServiceLimits())
    fixed = {
        "/": HTMLResponse(page(model, address, served.limits, served.example), headers=HEADERS),
        "/schema": _json(_written(described(model))),
        "/openapi.json": _json(_written(open_api(model, served.limits))),
        "/health": _json(_written({"status": "ok"})),
    }
    return Starlette(
        routes=[
            Route("/predict", served.predict, methods=["POST"]),
            *(Route(path, _giving(response)) for path, response in fixed.items()),
        ],
        middleware=[] if hosts is None else [Middleware(KnownHosts, hosts=hosts)],
        exception_handlers={RefusedRequest: _refused, HTTPException: _not_there, Exception: _broken},
        lifespan=served.lifespan,
    )


class ServedModel:
    """A model, its limits, and while the application runs the thread that answers."""

    def __init__(self, model: Any, limits: ServiceLimits) -> None:
        self.answers, self.limits = ModelAnswers(model, limits), limits
        self.example = _example_answer(self.answers)  # which compiles kernels, too, before anybody waits for them

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[dict[str, Any]]:
        """What requests find in their state."""
        with ThreadPoolExecutor(1, "novacula-answers") as pool:  # one: a model answers one batch at a time
            yield {"pool": pool, "queue": AnswerQueue(self.answers.answer_each, pool, self.limits.waiting_rows)}

    async def predict(self, request: Request) -> Response:
        """Answer the rows of a request."""
        seconds = self.limits.seconds
        try:
            async with asyncio.timeout(seconds):
                body = await _body(request, self.limits)
        except TimeoutError:
            raise RefusedRequest(TOO_SLOW, f"the request did not come within {seconds:g} seconds") from None
        try:
            async with asyncio.timeout(seconds):
                rows = await _rows(body, self.answers, request.state.pool)
                return _json(await request.state.queue.ask(rows))
        except TimeoutError:
            sentence = f"the answer took more than {seconds:g} seconds: ask for fewer rows, or again later"
            raise RefusedRequest(BUSY, sentence) from None


class KnownHosts:
    """Refuses requests that were sent to another name: a page of the web can have its name resolve to this machine."""

    def __init__(self, app: Any, hosts: frozenset[str]) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Look at the header Host of a request."""
        if scope["type"] == "http":
            named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if len(named) != 1 or named[0].lower() not in self.hosts:
                sentence = f"this service answers to {' and '.join(sorted(self.hosts))} only"
                await _error(FORBIDDEN, sentence)(scope, receive, send)
                return
        await self.app(scope, receive, send)


async def _body(request: Request, limits: ServiceLimits) -> bytes | TextBody:
    """The body of a request, no longer than it may be, with what its type says."""
    kind = Message()
    kind["content-type"] = request.headers.get("content-type", "")
    name = kind.get_content_type() if kind["content-type"] else ""
    if name != "application/json" and name not in TEXT:
        what = f"the content type {name!r} is not taken" if name else "the request has no content type"
        raise RefusedRequest(UNKNOWN_TYPE, f"{what}: send application/json, text/csv or text/tab-separated-values")
    content = await _content(request, limits.body_bytes)
    if name not in TEXT:
        return content
    encoding = kind.get_content_charset()
    if encoding is not None:
        try:
            known_encoding(encoding)
        except ParameterError:
            raise RefusedRequest(UNKNOWN_TYPE, f"the charset {encoding!r} is not known: send text in UTF-8") from None
    return TextBody(content, TEXT[name], encoding)


async def _rows(body: bytes | TextBody, answers: ModelAnswers, pool: Executor) -> Asked:
    """The rows of a body; what takes long to read is read by the thread, lest others wait until they are heard."""
    loop = asyncio.get_running_loop()
    if isinstance(body, TextBody):
        return await loop.run_in_executor(pool, answers.lay_out, body)
    if len(body) > LONG:
        return await loop.run_in_executor(pool, answers.rows.read, body)
    return answers.rows.read(body)


async def _content(request: Request, most: int) -> bytes:
    too_large = RefusedRequest(TOO_LARGE, f"a request may have {most:,} bytes: send the rows in several")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise too_large
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise too_large
        parts.append(part)
    if not size:
        raise RefusedRequest(UNFIT, "the request has no body: send a row as an object of JSON, or rows as CSV")
    return b"".join(parts)


def _example_answer(answers: ModelAnswers) -> str | None:
    """What the model says of the example, if it takes it."""
    try:
        [answer] = answers.answer_each([answers.rows.read(json.dumps([example_row(answers.model)]).encode())])
    except RefusedRequest:
        return None
    return json.dumps(json.loads(answer), ensure_ascii=False, indent=1) if isinstance(answer, bytes) else None


# --- what goes back -----------------------------------------------------------------------------------------


def _written(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def _giving(response: Response) -> Endpoint:
    """An endpoint that always gives the same."""

    async def give(_: Request) -> Response:
        return response

    return give


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json", headers={"x-content-type-options": "nosniff"})


def _error(status: int, sentence: str) -> Response:
    response = _json(json.dumps({"error": sentence}, ensure_ascii=False).encode("utf-8", "replace"))
    response.status_code = status
    return response


async def _refused(_: Request, error: Any) -> Response:
    return _error(error.status, error.sentence)


async def _not_there(request: Request, error: Any) -> Response:
    path = request.url.path
    what = f"there is nothing at {path!r}" if error.status_code == 404 else f"{path!r} does not take {request.method}"
    return _error(error.status_code, f"{what}: {PATHS}")


async def _broken(_: Request, error: Exception) -> Response:
    if isinstance(error, ClientDisconnect):
        return Response(status_code=400)  # to nobody
    _log.error("the model could not answer: %s: %s", type(error).__name__, error)
    return _error(BROKEN, "the model could not answer, for a reason that it did not foresee; the service goes on")
