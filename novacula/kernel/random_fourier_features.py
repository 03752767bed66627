"""Random Fourier features: cosines whose products approximate the Gaussian kernel.

    exp(−γ ‖x − y‖²) = E cos(wᵀ(x − y)),  w normal with variance 2γ        z(x) = √(2/D) [cos(wᵢᵀx), sin(wᵢᵀx)]

The Gaussian is the Fourier transform of a normal density (Bochner), so cosines in random directions have it for their
mean: z(x)ᵀz(y) differs from the kernel by about 1/√D. A linear model of D columns then replaces a kernel machine.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from novacula.errors import ModelFileError
from novacula.kernel.algebra import Gaussian
from novacula.kernel.expansion.derivation import SpreadTrace, derive_directions, derive_waves
from novacula.kernel.expansion.expander import Expander
from novacula.kernel.expansion.maps import FourierMap
from novacula.learner.card import Card
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work
from novacula.state import State, floats, nullable, number, record
from novacula.table import Table
from novacula.table.chunk import Floats


class RandomFourierFeatures(Expander):
    """Columns whose products approximate exp(−γ ‖x − y‖²), the better the more there are.

    Parameters
    ----------
    gamma : float, "scale" or "auto", default="scale"
        γ; "scale" is 1/(d·v) for d columns whose entries have the variance v, "auto" is 1/d.
    n_components : int, default=100
        D, the number of features.
    random_state : int, RandomState or None, default=0
        What the directions are drawn by; None draws others at each fit.

    Attributes
    ----------
    gamma_ : float
        γ as a number.
    random_weights_ : array (d, D)
        The directions w; two features in a row share one, as cosine and sine, which is more exact than D of them.
    random_offset_ : array (D,)
        What is added to wᵀx before the cosine: 0 and −π/2, and a random angle for the last if D is odd.
    amplitude_ : float
        √(2/D), the largest value of a feature.
    trace_ : SpreadTrace or None
        With gamma="scale", mean and variance of each column, from which γ comes.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> z = RandomFourierFeatures(gamma=0.5, n_components=2000).fit_transform(x)
    >>> print(f"{z[0] @ z[1]:.2f}, and exactly {np.exp(-0.5):.2f}")
    0.61, and exactly 0.61
    """

    card: ClassVar[Card] = Card(
        name="Random Fourier features",
        task="transform",
        summary="Cosines in random directions, whose products approximate the Gaussian kernel.",
        hypothesis_space="D cosines of linear functions of the columns.",
        inductive_bias="Rows that are near are alike; the units of columns decide what near is.",
        objective="z(x)ᵀz(y) near exp(−γ ‖x − y‖²), in the mean exactly.",
        search="None: directions are drawn from a normal density of variance 2γ.",
        noise="That of the draw: about 1/√D for each pair of rows.",
        missing="Not taken: a missing or infinite value raises, with its column.",
        unseen="Not taken: categories have to be encoded as numbers first.",
        takes=("numeric", "sparse"),
        scales=("memory", "stream", "cluster"),
        uses="reduce",
        interpretability="Low: columns become cosines along random directions.",
        answer_cost="d·D for each row.",
        cost="One pass of n·d for the variance; n·d·D to transform. d·D numbers are held.",
        cost_exponents={"n": 1, "d": 1},
        needs=("scaled",),
        size="n_components",
        references=(
            "A. Rahimi and B. Recht, Random features for large-scale kernel machines, 2007",
            "D. Sutherland and J. Schneider, On the error of random Fourier features, 2015",
        ),
    )
    state: ClassVar[State] = {
        "gamma_": number(least=0.0),
        "random_weights_": floats("numbers", "features"),
        "random_offset_": floats("features"),
        "amplitude_": number(least=0.0),
        "trace_": nullable(record(SpreadTrace, numbers="numbers")),
    }
    state_types: ClassVar[tuple[type, ...]] = (SpreadTrace,)
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale", "auto"})],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    gamma_: float
    random_weights_: Floats
    random_offset_: Floats
    amplitude_: float
    trace_: SpreadTrace | None

    def __init__(self, gamma: float | str = "scale", n_components: int = 100, *, random_state: Any = 0) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def _learn(self, table: Table) -> None:
        """Draw the directions."""
        spread = self._spread(table)
        kernel: Any = Gaussian(self.gamma).resolved_by(spread)
        self.trace_ = SpreadTrace(spread.mean, spread.variance) if self.gamma == "scale" else None
        self.gamma_ = kernel.rate
        self._draw(self.n_features_in_)

    def _draw(self, d: int) -> None:
        rng, count = check_random_state(self.random_state), self.n_components
        directions = np.sqrt(2.0 * self.gamma_) * rng.normal(size=(d, (count + 1) // 2))
        self.random_weights_ = np.ascontiguousarray(np.repeat(directions, 2, axis=1)[:, :count])
        self.random_offset_ = np.tile([0.0, -0.5 * np.pi], (count + 1) // 2)[:count]
        if count % 2:
            self.random_offset_[-1] = rng.uniform(0.0, 2.0 * np.pi)
        self.amplitude_ = float(np.sqrt(2.0 / count))

    def _check_state(self) -> None:
        """What the declaration cannot say: there is at least one feature."""
        if not len(self.random_offset_):
            raise ModelFileError("its random_offset_ are none, where there is one for each feature")

    def _map(self) -> FourierMap:
        return FourierMap(self.random_weights_.T, self.random_offset_)

    @property
    def n_parameters_(self) -> int:
        """Directions and offsets of the waves."""
        return self.random_weights_.size + self.random_offset_.size

    @property
    def _n_features_out(self) -> int:
        return len(self.random_offset_)

    def _derive(self, options: WorkOptions) -> Work:
        """The rate and the directions."""
        return derive_directions(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Features of rows, and how near their products come."""
        return derive_waves(self, self._expanded(X, options), options)
