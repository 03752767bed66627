"""A progress bar for passes that take a while, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def tracked(items: Iterator[T], total: int, words: str, show: bool | None) -> Iterator[T]:
    """Pass items on, with a bar on standard error: if it is a terminal (None), always or never."""
    if show is False or total < 2 or (show is None and not sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns: Sequence[str | BarColumn | TextColumn | TaskProgressColumn | TimeRemainingColumn] = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(escape(words), total=total)
        for item in items:
            yield item
            progress.advance(task)
