"""Which learners there are: found by walking the families, never listed by hand.

A family is a package inside `novacula` that says `is_family = True`; it names its learners in `__all__`.
The id of a learner is its class name in kebab case. Model files and the command line use it, so renaming a class
breaks both.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeGuard

from novacula.errors import ParameterError

if TYPE_CHECKING:
    from novacula.learner.base import Learner

_WORD_START = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def learner_id(learner: type) -> str:
    """Give the id of a learner's class.

    >>> class RBFNetworkClassifier: ...
    >>> learner_id(RBFNetworkClassifier)
    'rbf-network-classifier'
    """
    return _WORD_START.sub("-", learner.__name__).lower()


def learners() -> dict[str, type[Learner]]:
    """Give every learner of the library by its id, in the order of families and of their `__all__`."""
    return dict(_walk())


def find(name: str) -> type[Learner]:
    """Give the learner with this id."""
    known = _walk()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the learners are {', '.join(known)}"
    raise ParameterError(f"there is no learner {name!r}; {hint}")


def look_up(name: str, task: str | None = None) -> str:
    """Give the id of a learner by its id, by how that begins, or by a word of it; of one task, if that is said.

    Where a name is that of a classifier and of a regressor and no task is said, it is the classifier.

    >>> look_up("tree"), look_up("tree", "regression")
    ('decision-tree-classifier', 'decision-tree-regressor')
    """
    near = meant_by(name, task)
    if len(near) == 2 and task is None and near[1] == near[0].removesuffix("classifier") + "regressor":
        return near[0]
    if len(near) == 1:
        return near[0]
    if near:
        raise ParameterError(f"{name!r} may be {' or '.join(near)}: write it out")
    other = find(name).card.task  # which refuses a name that no learner has
    raise ParameterError(f"{name!r} is a learner for {other}, not for {task}")


def meant_by(name: str, task: str | None = None) -> list[str]:
    """Give the ids of all learners that a name may mean, in order; of one task, if that is said."""
    known = [one for one, kind in _walk().items() if task is None or kind.card.task == task]
    return [name] if name in known else sorted(o for o in known if o.startswith(name) or name in o.split("-"))


def state_types(learners: Iterable[type]) -> dict[str, type]:
    """Give the dataclasses that fitted attributes may hold: every statistic, and what the learners name.

    A learner names its own in the class attribute `state_types`. Model files know a type by its family and
    name, as in `statistics.Contingency`.
    """
    from novacula import statistics
    from novacula.statistics.base import Statistic

    public: list[Any] = [getattr(statistics, name) for name in statistics.__all__]
    kinds = [kind for kind in public if dataclasses.is_dataclass(kind) and _derives(kind, Statistic)]
    for learner in learners:
        kinds.extend(getattr(learner, "state_types", ()))
    named: dict[str, type] = {}
    for kind in kinds:
        family = kind.__module__.split(".")[1:2]
        _enter(named, ".".join([*family, kind.__name__]), kind)
    return named


def discover(package: ModuleType, base: type) -> dict[str, type]:
    """Give by id the public, concrete subclasses of `base` that a package's families name in `__all__`."""
    learners: dict[str, type] = {}
    for family in _families(package):
        for name in getattr(family, "__all__", ()):
            thing = getattr(family, name)
            if _derives(thing, base) and not inspect.isabstract(thing) and not thing.__name__.startswith("_"):
                _enter(learners, learner_id(thing), thing)
    return learners


@cache
def _walk() -> dict[str, type[Learner]]:
    from novacula.learner.base import Learner

    return discover(importlib.import_module(__name__.split(".")[0]), Learner)


def _families(package: ModuleType) -> Iterator[ModuleType]:
    rooms = (module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)
    for name in sorted(name for name in rooms if not name.startswith("_")):
        room = importlib.import_module(f"{package.__name__}.{name}")
        if getattr(room, "is_family", False):
            yield room


def _derives(thing: Any, base: type) -> TypeGuard[type]:
    return isinstance(thing, type) and issubclass(thing, base) and thing is not base


def _enter(registry: dict[str, type], name: str, kind: type) -> None:
    other = registry.setdefault(name, kind)
    if other is not kind:
        pair = " and ".join(f"{one.__module__}.{one.__qualname__}" for one in (other, kind))
        raise ParameterError(f"{pair} would both be called {name!r} in model files: rename one of them")
