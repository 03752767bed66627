"""What an expression is made of: a few immutable kinds of node, compared by what they hold.

Trees are read from text by `reading`, evaluated by `measuring` and written by `layout`. Two nodes that say the same
are equal, so that a node can be the key under which its value is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias


class HashedOnce:
    """What keeps its hash: nodes are keys, and are looked up again for each term of a sum.

    The hash is no field, so that a copy in another process makes its own.
    """

    __slots__ = ("_hash",)
    __match_args__: tuple[str, ...] = ()

    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            value = hash((type(self), *(getattr(self, name) for name in self.__match_args__)))
            object.__setattr__(self, "_hash", value)
            return value


@dataclass(frozen=True, slots=True)
class Number(HashedOnce):
    """A number as it stands."""

    __hash__ = HashedOnce.__hash__

    value: float


@dataclass(frozen=True, slots=True)
class Word(HashedOnce):
    """A word, such as the name of a category: set upright, and equal to nothing but itself."""

    __hash__ = HashedOnce.__hash__

    text: str


@dataclass(frozen=True, slots=True)
class Symbol(HashedOnce):
    """A name that stands for a value, as people type it: n_xt, θ̂, w_0, hʹ."""

    __hash__ = HashedOnce.__hash__

    name: str


@dataclass(frozen=True, slots=True)
class Indexed(HashedOnce):
    """One of several values that share a name: w[j], X[i, j]."""

    __hash__ = HashedOnce.__hash__

    base: Node
    indices: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Quantity(HashedOnce):
    """A value that is written like a function: P(x | t), Gain(S, "Outlook"), f(x)."""

    __hash__ = HashedOnce.__hash__

    head: str
    arguments: tuple[Node, ...]
    given: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Apply(HashedOnce):
    """An operator or a function of its arguments; ``+`` and ``*`` take any number of them."""

    __hash__ = HashedOnce.__hash__

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Big(HashedOnce):
    """Σ, Π, min, max, argmin or argmax of a body over an index; the domain is None where only the index is named."""

    __hash__ = HashedOnce.__hash__

    operator: str
    body: Node
    index: str
    domain: Node | None = None
    condition: Node | None = None


@dataclass(frozen=True, slots=True)
class Relation(HashedOnce):
    """Two sides and the sign between them."""

    __hash__ = HashedOnce.__hash__

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Cases(HashedOnce):
    """One value if a condition holds, another otherwise; the other may be cases again."""

    __hash__ = HashedOnce.__hash__

    value: Node
    condition: Node
    otherwise: Node


@dataclass(frozen=True, slots=True)
class Several(HashedOnce):
    """Several things in order, ⟨a, b⟩, or a set of them, {a, b}."""

    __hash__ = HashedOnce.__hash__

    items: tuple[Node, ...]
    is_set: bool = False


Node: TypeAlias = Number | Word | Symbol | Indexed | Quantity | Apply | Big | Relation | Cases | Several


def parts(node: Node) -> Iterator[Node]:
    """The nodes directly inside a node, from left to right."""
    for field in fields(node):
        yield from _nodes(getattr(node, field.name))


def _nodes(value: Any) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        yield from value


def walk(node: Node) -> Iterator[Node]:
    """A node and all inside it."""
    yield node
    for part in parts(node):
        yield from walk(part)


def renamed(node: Node, names: Mapping[Node, Node]) -> Node:
    """The tree with some of its parts written in another way; a name for H alone is that of H(S) too."""
    if node in names:
        return names[node]
    changed: dict[str, Any] = {
        field.name: renamed_value
        for field in fields(node)
        if (renamed_value := _renamed(value := getattr(node, field.name), names)) is not value
    }
    if isinstance(node, Quantity) and isinstance(head := names.get(Symbol(node.head)), Symbol):
        changed["head"] = head.name
    return replace(node, **changed) if changed else node


def _renamed(value: Any, names: Mapping[Node, Node]) -> Any:
    if isinstance(value, Node):
        return renamed(value, names)
    if isinstance(value, tuple):
        return tuple(renamed(item, names) for item in value)
    return value


def changed_once(node: Node, change: Callable[[Node], Iterable[tuple[str, Node]]]) -> Iterator[tuple[str, Node]]:
    """Trees that differ in one node, for each node and each outcome of the change, which has words that go with it."""
    yield from change(node)
    for field in fields(node):
        value: Any = getattr(node, field.name)
        several = value if isinstance(value, tuple) else (value,) if isinstance(value, Node) else ()
        for i, part in enumerate(several):
            for words, other in changed_once(part, change):
                new: Any = (*several[:i], other, *several[i + 1 :]) if isinstance(value, tuple) else other
                changed: dict[str, Any] = {field.name: new}
                yield words, replace(node, **changed)
