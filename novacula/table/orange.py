"""Tables of Orange: kinds and roles stand in two records below the names, or in letters before each name.

sepal width   iris                       C#sepal width    cD#iris
continuous    Iris-setosa Iris-virginica
              class
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from novacula.table.schema import Kind

_KINDS: dict[str, Kind | None] = {
    **dict.fromkeys(("continuous", "c"), "numeric"),
    **dict.fromkeys(("discrete", "d"), "categorical"),
    **dict.fromkeys(("string", "s"), "text"),
    **dict.fromkeys(("time", "t", ""), None),
}
_ROLES = {word: role for role in ("class", "meta", "ignore", "weight") for word in (role, role[0])} | {"": ""}
_PREFIX = re.compile(r"([mciw]?)([CDST]?)#(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OrangeColumn:
    """A column as Orange describes it; its kind is None where the values say it."""

    name: str
    kind: Kind | None
    values: tuple[str, ...] = ()
    role: str = ""  # class, meta, ignore, weight, or none


def described_by_rows(names: Sequence[str], kinds: Sequence[str], roles: Sequence[str]) -> list[OrangeColumn] | None:
    """The columns by three records; None if the records are no description.

    >>> described_by_rows(["x", "y"], ["c", "no yes"], ["", "class"])[1]
    OrangeColumn(name='y', kind='categorical', values=('no', 'yes'), role='class')
    >>> described_by_rows(["x", "y"], ["1", "2"], ["3", "4"])
    """
    kinds, roles = [*kinds, *[""] * (len(names) - len(kinds))], [*roles, *[""] * (len(names) - len(roles))]
    if not len(names) == len(kinds) == len(roles) or not any(kind.strip() for kind in kinds):
        return None
    columns = []
    for name, kind, role in zip(names, map(str.strip, kinds), map(str.strip, roles), strict=True):
        values = tuple(part.replace("\\ ", " ") for part in re.split(r"(?<!\\) +", kind)) if " " in kind else ()
        word = role.split()[0] if role and "=" not in role.split()[0] else ""
        if (kind.lower() not in _KINDS and not values) or word.lower() not in _ROLES:
            return None
        stated: Kind | None = "categorical" if values else _KINDS[kind.lower()]
        columns.append(OrangeColumn(name, stated, values, _ROLES[word.lower()]))
    return columns


def described_by_letters(names: Sequence[str]) -> list[OrangeColumn] | None:
    """The columns by letters before their names, as in `mS#note`; None if no name has them.

    >>> [(column.name, column.kind, column.role) for column in described_by_letters(["C#x", "cD#y", "z"])]
    [('x', 'numeric', ''), ('y', 'categorical', 'class'), ('z', None, '')]
    """
    found = [_PREFIX.fullmatch(name) for name in names]
    if not any(match and (match[1] or match[2]) for match in found):
        return None
    return [
        OrangeColumn(name, None)
        if match is None
        else OrangeColumn(match[3], _KINDS[match[2].lower()], role=_ROLES[match[1]])
        for name, match in zip(names, found, strict=True)
    ]
