"""How many parameters a fitted model has: what its description costs, and what a likelihood has to pay for.

A learner of this library says so itself, in `n_parameters_`. Models of scikit-learn do not, though they appear next to
ours in comparisons, committees and pipelines, so their linear models, trees and Gaussian naive Bayes are counted here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.errors import InputTypeError


def n_parameters(model: Any) -> int:
    """Give the number of parameters of a fitted model; of a pipeline those of its last step.

    >>> import numpy as np
    >>> from novacula.linear import LinearRegression
    >>> n_parameters(LinearRegression().fit(np.eye(4)[:, :2], [1.0, 2.0, 3.0, 4.0]))
    3
    """
    from sklearn.utils.validation import check_is_fitted

    if hasattr(model, "steps"):
        return n_parameters(model.steps[-1][1])
    if hasattr(type(model), "fit"):
        check_is_fitted(model)
    if hasattr(type(model), "n_parameters_") or hasattr(model, "n_parameters_"):
        return int(model.n_parameters_)
    if type(model).__module__.startswith("sklearn."):
        return _of_scikit_learn(model)
    raise InputTypeError(f"the parameters of a {type(model).__name__} cannot be counted: give it n_parameters_")


def _of_scikit_learn(model: Any) -> int:
    """Count as our learners of the same family do."""
    if hasattr(model, "coef_"):
        return int(np.count_nonzero(model.coef_) + np.count_nonzero(getattr(model, "intercept_", 0.0)))
    if hasattr(model, "tree_"):
        leaves = int((model.tree_.children_left < 0).sum())
        shares = int(np.maximum(model.tree_.n_classes - 1, 1).sum())
        return int(model.tree_.node_count) - leaves + leaves * shares
    if hasattr(model, "theta_"):
        return int(model.theta_.size + model.var_.size + model.class_prior_.size) - 1
    raise InputTypeError(
        f"the parameters of scikit-learn's {type(model).__name__} cannot be counted: only those of its linear models, "
        "trees and Gaussian naive Bayes can"
    )
