"""AIC and BIC: what a likelihood is worth once its parameters are paid for; lower is better."""

from __future__ import annotations

import math


def aic(log_likelihood: float, n_parameters: float) -> float:
    """Akaike's information criterion, 2p − 2 ln L (Akaike, 1974).

    >>> aic(-10.0, 3)
    26.0
    """
    return float(2.0 * n_parameters - 2.0 * log_likelihood)


def bic(log_likelihood: float, n_parameters: float, n_rows: float) -> float:
    """The Bayesian information criterion, p ln N − 2 ln L, of N rows (Schwarz, 1978).

    >>> round(bic(-10.0, 3, 100), 4)
    33.8155
    """
    return float(n_parameters * math.log(n_rows) - 2.0 * log_likelihood)
