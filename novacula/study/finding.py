"""Something about the data that whoever answers for the model should know: one sentence, and how grave it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Gravity: TypeAlias = Literal["note", "warning"]


@dataclass(frozen=True)
class Finding:
    """A sentence, the columns it speaks of, and whether it may make the numbers wrong ("warning")."""

    kind: str
    sentence: str
    columns: tuple[str, ...] = ()
    gravity: Gravity = "note"
