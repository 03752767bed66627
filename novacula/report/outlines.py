"""Letters are drawn as outlines, and every figure brings those it needs. A page keeps each of them once.

An id names an outline by font and glyph, or by a hash of what it is, so where two figures define the same id they mean
the same. All definitions go into one picture of no size, and no id stands twice in the page.
"""

from __future__ import annotations

import re

DEFINED = re.compile(r'<path id="([^"]+)"[^>]*/>|<clipPath id="([^"]+)">.*?</clipPath>', re.DOTALL)
EMPTY = re.compile(r"\s*<defs>\s*</defs>")
SPARE = re.compile(r'<!--.*?-->|<g id="[^"]*"/>', re.DOTALL)
"""Matplotlib repeats each text in a comment, and names groups that hold nothing."""
STORE = '<svg class="outlines" width="0" height="0" aria-hidden="true" focusable="false"><defs>{}</defs></svg>'


def share_outlines(page: str) -> str:
    r"""Move what the figures of a page define to its beginning, each once; what people wrote is escaped, so it stays.

    >>> figure = '<svg><defs><path id="A" d="M 0 0"/></defs><use href="#A"/></svg>'
    >>> print(share_outlines(f"<body>{figure}{figure}</body>").replace("</svg>", "</svg>\n"))
    <body><svg class="outlines"...><defs><path id="A" d="M 0 0"/></defs></svg>
    <svg><use href="#A"/></svg>
    <svg><use href="#A"/></svg>
    </body>
    """
    store: dict[str, str] = {}

    def keep(found: re.Match[str]) -> str:
        store.setdefault(found[1] or found[2], found[0])
        return ""

    rest = EMPTY.sub("", DEFINED.sub(keep, SPARE.sub("", page)))
    return rest.replace("<body>", "<body>" + STORE.format("".join(store.values())), 1)
