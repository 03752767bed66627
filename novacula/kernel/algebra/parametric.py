"""The parameters of a kernel: by name, those of its parts under dotted names, and the positive ones by logarithm."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from novacula.errors import ParameterError
from novacula.table.chunk import Floats


@dataclass(eq=False, repr=False)
class Parametric:
    """A dataclass whose fields are its parameters; those that are `Parametric` are its parts."""

    def __post_init__(self) -> None:
        self.validate()

    def validate(self) -> None:
        """Raise ParameterError where a parameter makes no sense."""

    @classmethod
    def _names(cls) -> list[str]:
        return [field.name for field in fields(cls) if field.init]

    def parts(self) -> list[tuple[str, Any]]:
        """The kernels that it is made of, by name."""
        values = ((name, getattr(self, name)) for name in self._names())
        return [(name, value) for name, value in values if isinstance(value, Parametric)]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; with `deep` those of its parts too, as in left__gamma."""
        params: dict[str, Any] = {name: getattr(self, name) for name in self._names()}
        if deep:
            for name, part in self.parts():
                params |= {f"{name}__{inner}": value for inner, value in part.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, also those of parts, in place."""
        inner: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if name not in self._names() or (
                rest and not isinstance(params.get(name, getattr(self, name)), Parametric)
            ):
                raise ParameterError(
                    f"{self!r} has no parameter {key!r}: it has {', '.join(self.get_params()) or 'none'}"
                )
            if rest:
                inner.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, values in inner.items():
            getattr(self, name).set_params(**values)
        self.validate()
        return self

    @property
    def free(self) -> tuple[str, ...]:
        """Its positive continuous parameters, those of its parts under dotted names as in `get_params`."""
        return tuple(f"{name}__{inner}" for name, part in self.parts() for inner in part.free)

    @property
    def log_parameters(self) -> Floats:
        """ln θ of each of `free`."""
        params = self.get_params()
        words = [name for name in self.free if isinstance(params[name], str)]
        if words:
            raise ParameterError(f"{words[0]}={params[words[0]]!r} has no number yet: use resolved(X) first")
        return np.log(np.array([params[name] for name in self.free], np.float64))

    def with_log_parameters(self, values: Any) -> Self:
        """A copy whose `free` parameters have these logarithms."""
        values = np.asarray(values, np.float64)
        if values.shape != (len(self.free),):
            raise ParameterError(f"{self!r} has {len(self.free)} free parameters, and {values.shape} values were given")
        return self.copy().set_params(**dict(zip(self.free, np.exp(values).tolist(), strict=True)))

    def copy(self) -> Self:
        """The same kernel, of copies of its parts."""
        parts = {name: part.copy() for name, part in self.parts()}
        return type(self)(**(self.get_params(deep=False) | parts))

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(bool(getattr(self, name) == getattr(other, name)) for name in self._names())

    __hash__ = None  # type: ignore[assignment]  # parameters can be set

    def __repr__(self) -> str:
        stated = ((f.name, getattr(self, f.name), f.default) for f in fields(self) if f.init)
        return f"{type(self).__name__}({', '.join(f'{n}={_written(v)}' for n, v, default in stated if v != default)})"


def _written(value: Any) -> str:
    """A parameter as it is written in Python, a NumPy number as a plain one."""
    return repr(value.item() if isinstance(value, np.generic) else value)
