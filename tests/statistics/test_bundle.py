"""A bundle is its parts, side by side."""

from functools import partial

import numpy as np

from novacula.statistics import Bundle, ClassMoments, CoMoments


def test_parts_are_those_observed_alone(chunk_of, rng):
    chunk = chunk_of(rng.normal(size=(9, 2)), target=np.arange(9, dtype=np.int32) % 2)
    observers = partial(ClassMoments.observe, n_classes=2), CoMoments.observe
    both = Bundle.observe(chunk, observers)
    for part, observe in zip((both + both).parts, observers, strict=True):
        assert part.departure(observe(chunk) + observe(chunk)) == ""


def test_arrays_carry_the_place_of_their_part():
    bundle = Bundle((CoMoments.zero(1), Bundle((CoMoments.zero(2),))))
    assert [*bundle.arrays()] == [
        f"parts.{part}.{name}" for part in ("0", "1.parts.0") for name in ("weight", "mean", "scatter")
    ]
    assert bundle.nbytes == 8 * (3 + 7)
