"""Ten epochs of a multilayer perceptron in batches of 128, by Adam and by gradient descent with momentum."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

EPOCHS = 10
BATCH = 128
RATES = {"adam": 1e-3, "sgd": 0.03}
MOMENTUM = 0.9


def ours(data: Data, solver: str) -> Any:
    """In single precision, as the rivals."""
    from novacula.neural import MLPClassifier

    model = MLPClassifier(
        (data["units"],),
        activation="relu",
        solver=solver,
        eta0=RATES[solver],
        batch_size=BATCH,
        max_epochs=EPOCHS,
        tol=None,
    ).fit(data["X"], data["y"])
    return list(zip(model.coefs_, model.intercepts_, strict=True)), data


def scikit_learn(data: Data, solver: str) -> Any:
    """It takes the precision of X; no penalty, no Nesterov, and all epochs, which it warns of."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(
        (data["units"],),
        solver=solver,
        learning_rate_init=RATES[solver],
        momentum=MOMENTUM,
        nesterovs_momentum=False,
        batch_size=BATCH,
        max_iter=EPOCHS,
        n_iter_no_change=EPOCHS,
        alpha=0.0,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data["X"], data["y"])
    return list(zip(model.coefs_, model.intercepts_, strict=True)), data


def pytorch(data: Data, solver: str) -> Any:
    """A plain loop over batches of shuffled rows, from the start of scikit-learn (Glorot and Bengio).

    On one thread: on more it is slower, the matrices being small.
    """
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    X, y = torch.from_numpy(data["X"]), torch.from_numpy(data["y"])
    hidden, last = torch.nn.Linear(X.shape[1], data["units"]), torch.nn.Linear(data["units"], data["classes"])
    for layer in (hidden, last):
        torch.nn.init.xavier_uniform_(layer.weight)
    network = torch.nn.Sequential(hidden, torch.nn.ReLU(), last)
    weights = network.parameters()
    rule: Any = (
        torch.optim.Adam(weights, RATES[solver])
        if solver == "adam"
        else torch.optim.SGD(weights, RATES[solver], momentum=MOMENTUM)
    )
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(X)).split(BATCH):
            rule.zero_grad()
            torch.nn.functional.cross_entropy(network(X[rows]), y[rows]).backward()
            rule.step()
    return [(layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in (hidden, last)], data


def cross_entropy(layers: Any, data: Data) -> float:
    """The mean of −ln P(class) over all rows, in double precision."""
    import numpy as np
    from scipy.special import log_softmax

    (V, b), (W, c) = layers
    net = np.maximum(data["X"].astype(np.float64) @ V + b, 0.0) @ W + c
    return float(-log_softmax(net, axis=1)[np.arange(len(net)), data["y"]].mean())


class Adam(Race):
    """Kingma and Ba's rule."""

    name = "mlp_adam"
    title = "Multilayer perceptron, ten epochs of Adam"
    solver: ClassVar[str] = "adam"
    full: ClassVar[Sequence[Size]] = ({"rows": 60_000, "columns": 64, "units": 128, "classes": 10},)
    quick: ClassVar[Sequence[Size]] = ({"rows": 6_000, "columns": 64, "units": 128, "classes": 10},)

    def data(self, size: Size, folder: Path) -> Data:
        """Classes by the largest of ten bent functions of the columns, in single precision."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        n, d, k = size["rows"], size["columns"], size["classes"]
        X = rng.standard_normal((n, d), dtype=np.float32)
        bent = np.tanh(0.3 * X @ rng.standard_normal((d, d), dtype=np.float32))
        y = (bent @ rng.standard_normal((d, k), dtype=np.float32)).argmax(axis=1)
        return {"X": X, "y": y, "units": size["units"], "classes": k}

    def contenders(self) -> Sequence[Contender]:
        """The usual library, and one made for networks."""
        return [
            Contender("Novacula", "novacula", partial(ours, solver=self.solver)),
            Contender(
                "scikit-learn MLPClassifier", "scikit-learn", partial(scikit_learn, solver=self.solver), goal=2.0
            ),
            Contender("PyTorch", "torch", partial(pytorch, solver=self.solver), goal=2.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same loss; starts and orders differ, so a time counts from 3% on."""
        mine, other = cross_entropy(*ours), cross_entropy(*theirs)
        gap = (other - mine) / mine
        return Agreement(bool(gap <= 0.03), f"loss {gap:+.1%}")

    def limit(self, data: Data) -> Limit:
        """Read X once per epoch; three products with each layer's weights; the first layer needs only two."""
        n, d = data["X"].shape
        h, k = data["units"], data["classes"]
        return Limit(EPOCHS * data["X"].nbytes, EPOCHS * 2.0 * n * (2 * d * h + 3 * h * k))


class Momentum(Adam):
    """Gradient descent with momentum."""

    name = "mlp_sgd"
    title = "Multilayer perceptron, ten epochs of gradient descent with momentum"
    solver = "sgd"
