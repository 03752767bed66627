"""Calls of an application in this process, without a socket."""

import asyncio
import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Answered:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


async def send(application, state, method, path, pieces, headers):
    """One request; `pieces` are what its body comes in, and None is one that does not come."""
    parts = list(pieces)
    came: dict[str, object] = {"body": b""}

    async def receive():
        if not parts:
            return {"type": "http.disconnect"}
        part = parts.pop(0)
        if part is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def take(message):
        if message["type"] == "http.response.start":
            came["status"], came["headers"] = message["status"], message["headers"]
        else:
            came["body"] += message.get("body", b"")

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
        "state": dict(state),
    }
    try:
        await application(scope, receive, take)
    except Exception:
        if "status" not in came:  # Starlette answers, and then lets the server know
            raise
    return Answered(came["status"], {k.decode(): v.decode() for k, v in came["headers"]}, came["body"])


def running(application, requests):
    """What requests come to, made at once while the application runs."""

    async def run():
        async with application.router.lifespan_context(application) as state:
            return await asyncio.gather(*(send(application, state, *request) for request in requests))

    return asyncio.run(run())


def get(application, path, **headers):
    [answered] = running(application, [("GET", path, [b""], headers)])
    return answered


def as_json(rows):
    """A request with rows as JSON."""
    return "POST", "/predict", [json.dumps(rows).encode()], {"content-type": "application/json"}


def post(application, rows):
    [answered] = running(application, [as_json(rows)])
    return answered


def post_body(application, body, kind="application/json", **headers):
    headers = {"content-type": kind, **headers} if kind else headers
    [answered] = running(application, [("POST", "/predict", [body], headers)])
    return answered
