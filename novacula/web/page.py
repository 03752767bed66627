"""The page at /: what the model takes, and how to ask it. It has no script, and loads nothing."""

from __future__ import annotations

import json
import shlex
from html import escape
from typing import Any

from novacula.table.names import printable
from novacula.web.description import TYPES, example_row, name_of
from novacula.web.refusal import ServiceLimits

SHOWN = 200
"""Columns that are listed."""
LABELS = 12
"""Categories that are listed of a column."""
HEADERS = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .75rem 1rem; border: 1px solid #8888; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; overflow-wrap: anywhere; }
td:nth-child(2) { white-space: nowrap; }
"""
_ADVICE = (
    "<p>Columns that the model does not know are ignored, and null stands for a missing value. Categories that were "
    "not there at fit are answered as the model does, and counted by column in <code>unseen</code>. What cannot be "
    "answered is refused with one sentence in <code>error</code>.</p>"
)
_LINKS = (
    '<h2>For programs</h2><p><a href="/schema">/schema</a>, <a href="/openapi.json">/openapi.json</a>, '
    '<a href="/health">/health</a></p>'
)


def page(model: Any, address: str, limits: ServiceLimits, answer: str | None) -> str:
    """The page of a model that is asked at an address; `answer` is what it says of the example."""
    name, asked = escape(name_of(model)), json.dumps(example_row(model), ensure_ascii=False)
    as_json = f"curl {address}/predict -H 'content-type: application/json' -d {shlex.quote(asked)}"
    as_text = f"curl {address}/predict -H 'content-type: text/csv' --data-binary @rows.csv"
    most = f"{limits.rows:,} rows and {limits.body_bytes:,} bytes"
    parts = [
        f"<h1>{name}</h1><p>A model for {escape(model.card.task)}.</p>",
        f"<h2>Ask</h2><p>A row as an object of JSON, several as a list of objects:</p>{_code(as_json)}",
        "" if answer is None else f"<p>The answer:</p>{_code(answer)}",
        f"<p>Rows of a CSV file, its columns in any order:</p>{_code(as_text)}",
        _ADVICE,
        f"<p>A request may have {most}, and is answered within {limits.seconds:g} seconds.</p>",
        _columns(model),
        _LINKS,
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{name}</title>'
    start = f'<!doctype html><html lang="en"><head>{head}<style>{_STYLE}</style></head>'
    return f"{start}<body>{''.join(parts)}</body></html>"


def _columns(model: Any) -> str:
    columns = model.schema_.features
    rows = [
        f"<tr><td>{_cell(column.name)}</td><td>{'date' if column.is_time else TYPES[column.kind]}</td>"
        f"<td>{_categories(column.categories)}</td></tr>"
        for column in columns[:SHOWN]
    ]
    more = f"<p>… and {len(columns) - SHOWN:,} more.</p>" if len(columns) > SHOWN else ""
    head = "<tr><th>column</th><th>type</th><th>categories</th></tr>"
    return f"<h2>Columns</h2><table>{head}{''.join(rows)}</table>{more}"


def _categories(categories: Any) -> str:
    words = [_cell(str(category)) for category in categories[:LABELS]]
    more = f" and {len(categories) - LABELS:,} more" if len(categories) > LABELS else ""
    return ", ".join(words) + more


def _cell(text: str) -> str:
    return escape(printable(text, 80))


def _code(text: str) -> str:
    return f"<pre><code>{escape(text)}</code></pre>"
