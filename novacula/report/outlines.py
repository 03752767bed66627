"""Letters are drawn as outlines, and every figure brings those it needs. A page keeps each of them once.

An id names an outline by font and glyph, or by a hash of its content, so where two figures define the same id they mean
the same. All definitions go into one figure of no size, and no id occurs twice in the page.
"""

from __future__ import annotations

import re

DEFINED = re.compile(r'<path id="([^"]+)"[^>]*/>|<clipPath id="([^"]+)">.*?</clipPath>', re.DOTALL)
EMPTY = re.compile(r"\s*<defs>\s*</defs>")
SPARE = re.compile(r'<!--.*?-->|<g id="[^"]*"/>', re.DOTALL)
"""Matplotlib repeats each text in a comment, and names groups that hold nothing."""
STORE = '<svg class="outlines" width="0" height="0" aria-hidden="true" focusable="false"><defs>{}</defs></svg>'


def share_outlines(page: str) -> str:
    r"""Move the outlines that figures define to the beginning of the page, each once; users' text is escaped and stays.

    >>> figure = '<svg><defs><path id="A" d="M 0 0"/></defs><use href="#A"/></svg>'
    >>> print(share_outlines(f"<body>{figure}{figure}</body>").replace("</svg>", "</svg>\n"))
    <body><svg class="outlines"...><defs><path id="A" d="M 0 0"/></defs></svg>
    <svg><use href="#A"/></svg>
    <svg><use href="#A"/></svg>
    </body>
    """
    store: dict[str, str] = {}

    def keep(outline: re.Match[str]) -> str:
        store.setdefault(outline[1] or outline[2], outline[0])
        return ""

    rest = EMPTY.sub("", DEFINED.sub(keep, SPARE.sub("", page)))
    return rest.replace("<body>", "<body>" + STORE.format("".join(store.values())), 1)
