"""Tied weights: groups of weights that are one parameter of the network, and so stay equal.

    θ = free[place]        ∂E/∂free_g = Σ ∂E/∂θ over the members of group g

A weight is named (layer, i, j): layers count from 0, i is the unit it comes from, j the unit it goes to, both from 0
within their layers. A bias is named (layer, None, j), or (layer, -1, j) in lists and mappings.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import pairwise
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import InputTypeError, ParameterError
from novacula.neural.network.architecture import Architecture
from novacula.neural.network.jet import Array
from novacula.words import shortened

Weight: TypeAlias = tuple[int, int | None, int]
Groups: TypeAlias = (
    Mapping[Weight, Hashable] | Iterable[Iterable[Weight]] | Callable[[int, int | None, int], Hashable | None]
)

ABSENT = "absent"
"""The name of the group whose weights are not connections: they are held at 0."""
ALONE, ABSENT_NUMBER = -1, -2


class Tying:
    """Which weights are one.

    `groups` is a mapping from weights to the names of their groups, a list of lists of weights, or a function of
    (layer, i, j) that gives the name of a group, or None for a weight of its own; it is asked about biases too, with
    i None. Weights of the group "absent" are held at 0: with them a layer of shared weights is a convolution.

    >>> network = Architecture((4, 3, 1), "tanh", "linear")
    >>> def convolution(layer, i, j):  # three windows of two inputs, which share weights and bias
    ...     if layer == 0:
    ...         return "bias" if i is None else i - j if i - j in (0, 1) else "absent"
    >>> tying = Tying(convolution, network)
    >>> tying.n_free, network.n_parameters
    (7, 19)
    >>> W, b = network.layers(tying.expand(np.array([5.0, 6, 7, 0, 0, 0, 0])))[0]
    >>> W.T.tolist(), b.tolist()
    ([[5.0, 6.0, 0.0, 0.0], [0.0, 5.0, 6.0, 0.0], [0.0, 0.0, 5.0, 6.0]], [7.0, 7.0, 7.0])
    """

    def __init__(self, groups: Groups, architecture: Architecture) -> None:
        group_of, sizes = number_groups(groups, architecture)
        self.absent = group_of == ABSENT_NUMBER
        """Which entries of θ are not connections."""
        # A free parameter has the place of its first member, so that without groups they would be θ itself.
        group_of[group_of == ALONE] = sizes + np.arange((group_of == ALONE).sum())
        present = np.flatnonzero(~self.absent)
        _, first, group = np.unique(group_of[present], return_index=True, return_inverse=True)
        if not len(first):
            raise ParameterError("all weights are in the group 'absent' of tied: leave some to be learned")
        self.place = np.zeros(architecture.n_parameters, np.intp)
        """The number of the free parameter that each entry of θ is."""
        self.place[present] = np.argsort(np.argsort(first))[group]
        self.members = present[np.argsort(self.place[present], kind="stable")]
        """The entries of θ that are connections, group by group."""
        self.starts = np.searchsorted(self.place[self.members], np.arange(len(first)))
        """Where each group begins in `members`."""

    @property
    def n_free(self) -> int:
        """Parameters that are left."""
        return len(self.starts)

    def expand(self, free: Array) -> Array:
        """All weights θ from the free parameters."""
        theta = free[self.place]
        theta[self.absent] = 0
        return theta

    def contract(self, theta: Array) -> Array:
        """The free parameters of θ: the first weight of each group."""
        return theta[self.members[self.starts]]

    def gather(self, gradient: Array) -> Array:
        """The gradient to the free parameters from that to θ, along the last axis: sums over the groups."""
        return np.add.reduceat(gradient[..., self.members], self.starts, axis=-1)


def number_groups(groups: Groups, architecture: Architecture) -> tuple[npt.NDArray[np.intp], int]:
    """The number of the group of each entry of θ, or ALONE or ABSENT_NUMBER; and how many groups there are."""
    group_of = np.full(architecture.n_parameters, ALONE, np.intp)
    numbers: dict[Hashable, int] = {ABSENT: ABSENT_NUMBER}
    for weight, group in named_weights(groups, architecture):
        position, number = locate(weight, architecture), numbers.setdefault(as_name(group, weight), len(numbers) - 1)
        if group_of[position] not in (ALONE, number):
            raise ParameterError(
                f"the weight {weight} is in two groups of tied; join them, since it cannot have two values"
            )
        group_of[position] = number
    sizes = np.bincount(group_of[group_of >= 0], minlength=1)
    if sizes.max() < 2 and not (group_of == ABSENT_NUMBER).any():
        raise ParameterError("tied ties nothing: no group holds two weights; name two that are to be equal")
    return group_of, len(sizes)


def named_weights(groups: Groups, architecture: Architecture) -> Iterator[tuple[Any, Any]]:
    """Every weight that has a group, and its name; the groups of a list are named by their places."""
    if isinstance(groups, Mapping):
        yield from ((weight, group) for weight, group in groups.items() if group is not None)
    elif callable(groups):
        yield from weights_by_function(groups, architecture)
    elif isinstance(groups, Iterable) and not isinstance(groups, str):
        for number, group in enumerate(groups):
            weights = list(group) if isinstance(group, Iterable) else []
            if len({locate(weight, architecture) for weight in weights}) < 2:
                raise ParameterError(f"group {number} of tied holds fewer than two weights: name all that are equal")
            yield from ((weight, number) for weight in weights)
    else:
        raise InputTypeError(
            f"tied is a {type(groups).__name__}; give a mapping of (layer, i, j) to groups, a list of lists of "
            "(layer, i, j), or a function of layer, i and j"
        )


def weights_by_function(function: Callable[..., Any], architecture: Architecture) -> Iterator[tuple[Weight, Any]]:
    """Every weight for which a function names a group."""
    for layer, (n_inputs, n_units) in enumerate(pairwise(architecture.sizes)):
        for i in (*range(n_inputs), None):
            for j in range(n_units):
                try:
                    group = function(layer, i, j)
                except TypeError as error:
                    if i is not None:
                        raise
                    raise ParameterError(
                        f"tied cannot be called for the bias of unit {j} in layer {layer}, where i is None: let the "
                        f"function give None for biases that are not tied ({error})"
                    ) from error
                if group is not None:
                    yield (layer, i, j), group


def as_name(group: Any, weight: Any) -> Hashable:
    """The name of a group, which must be able to be one."""
    try:
        hash(group)
    except TypeError:
        raise ParameterError(
            f"tied puts the weight {weight} into the group {shortened(repr(group))}: name it by a number or a word"
        ) from None
    return group


def locate(weight: Any, architecture: Architecture) -> int:
    """The position in θ of the weight (layer, i, j)."""
    fault = f"tied names the weight {shortened(repr(weight))}"
    if not isinstance(weight, tuple | list) or len(weight) != 3:
        raise ParameterError(f"{fault}; a weight is named (layer, i, j)")
    layer, i, j = weight
    i = -1 if i is None else i
    if not all(isinstance(part, Integral) for part in (layer, i, j)):
        raise ParameterError(f"{fault}; layer, i and j must be whole numbers, and i None for a bias")
    if not 0 <= layer < architecture.n_layers:
        raise ParameterError(f"{fault}; layers are numbered from 0 to {architecture.n_layers - 1}")
    n_inputs, n_units = architecture.sizes[layer : layer + 2]
    if not -1 <= i < n_inputs or not 0 <= j < n_units:
        raise ParameterError(
            f"{fault}; in layer {layer} i goes from 0 to {n_inputs - 1}, or is None, and j from 0 to {n_units - 1}"
        )
    before = sum((a + 1) * b for a, b in pairwise(architecture.sizes[: layer + 1]))
    return int(before + (n_inputs if i < 0 else i) * n_units + j)
