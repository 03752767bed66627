"""How many directions to keep: a number, a share of the variance, or the likeliest number.

`"mle"` is Minka's estimate (Automatic choice of dimensionality for PCA, 2000): the k with the largest evidence of
probabilistic PCA, by Laplace's approximation over the directions and variances.
"""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import gammaln

from novacula.errors import ParameterError
from novacula.projection.spectrum import CovarianceSpectrum
from novacula.table.chunk import Floats

TINY = float(np.finfo(np.float64).tiny)


def requested_dimension(n_components: Any, weight: float, d: int) -> int | None:
    """The requested number, all for None, checked; None where the eigenvalues decide."""
    most = min(math.ceil(weight), d)
    if n_components is None:
        return most
    if isinstance(n_components, str) or not isinstance(n_components, Integral):
        return None
    if int(n_components) > most:
        raise ParameterError(
            f"n_components={n_components} must be between 1 and min(n_samples, n_features)={most} "
            f"(n_samples={weight:g} counts rows by their weight)"
        )
    return int(n_components)


def chosen_dimension(n_components: Any, spectrum: CovarianceSpectrum) -> int:
    """The number that the eigenvalues decide: for a share of the variance, or by evidence."""
    if isinstance(n_components, str):
        if spectrum.weight < len(spectrum.mean):
            raise ParameterError("n_components='mle' needs at least as many rows as columns")
        return likeliest(spectrum)
    if not spectrum.total > 0.0:
        return 1
    shares = np.cumsum(spectrum.values) / spectrum.total
    # A share that is reached but for rounding is reached.
    return min(int(np.searchsorted(shares, n_components - 1e-12)) + 1, len(shares))


def likeliest(spectrum: CovarianceSpectrum) -> int:
    """The k < d with the largest evidence; 1 where there is one column."""
    values, d = spectrum.first(len(spectrum.mean)), len(spectrum.mean)
    ranks = range(1, min(d, spectrum.rank + 1))
    evidence = [log_evidence(values, k, spectrum.weight) for k in ranks]
    return int(np.argmax(evidence)) + 1 if evidence else 1


def log_evidence(values: Floats, k: int, n: float) -> float:
    """Minka's Laplace approximation for k directions, from all d eigenvalues and n rows, but for what is common."""
    d = len(values)
    rest = max(float(values[k:].mean()), TINY)
    sizes = (d - np.arange(k)) / 2.0
    sphere = float((gammaln(sizes) - sizes * math.log(math.pi)).sum()) - k * math.log(2.0)
    fit = -0.5 * n * (float(np.log(values[:k]).sum()) + (d - k) * math.log(rest))
    smoothed = np.concatenate([values[:k], np.full(d - k, rest)])
    i, j = np.triu_indices(k, 1, d)
    curvature = np.maximum(values[i] - values[j], TINY) * np.maximum(1.0 / smoothed[j] - 1.0 / smoothed[i], TINY)
    freedom = d * k - k * (k + 1) / 2.0
    volume = 0.5 * ((freedom + k) * math.log(2.0 * math.pi) - float(np.log(curvature).sum() + len(i) * math.log(n)))
    return sphere + fit + volume - 0.5 * k * math.log(n)
