"""Boosting by plain NumPy, as it is written in books: every threshold is tried, nothing is binned or subtracted."""

import numpy as np

GRADIENTS = {
    "squared_error": lambda y, s: (s - y, np.ones_like(s)),
    "absolute_error": lambda y, s: (np.sign(s - y), np.ones_like(s)),
    "poisson": lambda y, s: (np.exp(s) - y, np.exp(s)),
    "log_loss": lambda y, s: (1 / (1 + np.exp(-s)) - y, np.exp(-s) / (1 + np.exp(-s)) ** 2),
}


def score(g, h, l2):
    return g.sum() ** 2 / (h.sum() + l2)


def best_test(X, g, h, rows, l2, least):
    """(gain, rows of branch 0) of the best test at a node, by trying all; missing values go either way."""
    best = (1e-9, None)
    for x in X[rows].T:
        known = np.unique(x[~np.isnan(x)])
        for t in known:
            for missing_left in (False, True):
                left = (x <= t) | (np.isnan(x) & missing_left)
                if min(left.sum(), (~left).sum()) < least:
                    continue
                a, b = rows[left], rows[~left]
                gain = 0.5 * (score(g[a], h[a], l2) + score(g[b], h[b], l2) - score(g[rows], h[rows], l2))
                if gain > best[0] * (1 + 1e-9):
                    best = (gain, left)
    return best


def grow(X, g, h, l2, least, most):
    """The rows of each leaf, and the gains of the tests in the order in which they were made."""
    leaves, gains = [np.arange(len(X))], []
    found = [best_test(X, g, h, leaves[0], l2, least)]
    while len(leaves) < most and any(test[1] is not None for test in found):
        i = int(np.argmax([test[0] if test[1] is not None else -1.0 for test in found]))
        gain, left = found[i]
        rows = leaves[i]
        gains.append(gain)
        leaves[i : i + 1] = [rows[left], rows[~left]]
        found[i : i + 1] = [best_test(X, g, h, part, l2, least) for part in (rows[left], rows[~left])]
    return leaves, gains


def boost(X, y, loss, rounds, rate, l2, least, most):
    """The scores of the rows after each round, and the gains of each tree."""
    start = {
        "squared_error": np.mean,
        "absolute_error": np.median,
        "poisson": lambda y: np.log(y.mean()),
        "log_loss": lambda y: np.log(y.mean() / (1 - y.mean())),
    }
    s = np.full(len(y), start[loss](y))
    stages, gains = [], []
    for _ in range(rounds):
        g, h = GRADIENTS[loss](y, s)
        leaves, gained = grow(X, g, h, l2, least, most)
        s = s.copy()
        for rows in leaves:
            step = np.median(y[rows] - s[rows]) if loss == "absolute_error" else -g[rows].sum() / (h[rows].sum() + l2)
            s[rows] += rate * step
        stages.append(s)
        gains.append(gained)
    return stages, gains


def boost_classes(X, y, n_classes, rounds, rate, l2, least, most):
    """The scores (n, K) of the rows after some rounds of the softmax."""
    hot = np.eye(n_classes)[y]
    s = np.tile(np.log(hot.mean(axis=0)), (len(y), 1))
    for _ in range(rounds):
        p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
        s = s.copy()
        for k in range(n_classes):
            g, h = p[:, k] - hot[:, k], p[:, k] * (1 - p[:, k])
            for rows in grow(X, g, h, l2, least, most)[0]:
                s[rows, k] -= rate * g[rows].sum() / (h[rows].sum() + l2)
    return s
