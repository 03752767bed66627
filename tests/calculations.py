"""Examples of all that shows its work and is not a learner: commands of `novacula work`, and calls in Python."""

from collections.abc import Callable, Sequence

import numpy as np

from novacula import datasets
from novacula.bayes import Posterior
from novacula.cli.calculating import calculate
from novacula.cli.reading import ReadingOptions
from novacula.concept import CandidateElimination
from novacula.kernel import Constant, Custom, Gaussian, Linear, Polynomial, Precomputed
from novacula.linear import LogisticRegression, sigmoid_unit
from novacula.mixture import GaussianMixture, KMeans, expectation_maximization
from novacula.neural import MLPRegressor, RBFNetworkRegressor
from novacula.optimize import newton, stochastic_gradient_descent
from novacula.projection import PCA

XOR = "[[0, 0], [0, 1], [1, 0], [1, 1]]"

COMMANDS: dict[str, list[str]] = {  # what is set, and the table if it is of one
    # theory
    "pac_sample_size": ["hypotheses=973", "epsilon=0.1"],
    "pac_error": ["n=100", "hypotheses=2^10"],
    "pac_delta": ["n=100", "hypotheses=973", "epsilon=0.1"],
    "vc_sample_size": ["vc=3", "epsilon=0.1"],
    "vc_error": ["n=1000", "vc=3"],
    "growth_function": ["n=10", "vc=3"],
    "cover_dichotomies": ["P=4", "N=3"],
    "count_dichotomies": [f"points={XOR}", "family=HalfSpaces"],
    "vc_dimension": ["points=[1, 2, 3]", "family=Intervals"],
    "error_parts": ["error=0.2", "best_in_space=0.12", "noise=0.05"],
    "structural_risk": ["empirical=[0.3, 0.12, 0.1]", "n=500", 'hypotheses=[16, "2^8", "2^30"]'],
    "conjunctions": ["attributes=[3, 2, 2]"],
    "decision_trees": ["attributes=3"],
    "k_term_dnf": ["attributes=4", "k=2"],
    "k_clause_cnf": ["attributes=4", "k=2"],
    # optimisers
    "newton": ["f=x**4 - 3*x**2", "start=[2]"],
    "gradient_descent": ["f=(x - 1)**2 + 3*(y + 2)**2", "start=[0, 0]"],
    "conjugate_gradient": ["f=(x - 1)**2 + 3*(y + 2)**2", "start=[0, 0]"],
    "lbfgs": ["f=(x - 1)**2 + 3*(y + 2)**2", "start=[0, 0]"],
    "line_search": ["f=x**2 + y**2", "x=[1, 1]", "direction=[-1, -1]"],
    "levenberg_marquardt": ['residuals=["10*(y - x**2)", "1 - x"]', "start=[1, -1.2]"],
    "lagrange": ["f=x + y", "g=x**2 + y**2 - 2", "start=[-2, -1]"],
    "sequential_quadratic": ["f=x + y", 'inequalities=["2 - x**2 - y**2"]', "start=[0, 0]"],
    "quadratic_program": ["P=[[2, 0], [0, 2]]", "q=[-2, -5]", "G=[[1, 2]]", "h=[3]"],
    "check_gradient": ["function=x**2 * y", 'derivative=["2*x*y", "x**2"]', "x=[3, 2]"],
    "kkt_residuals": [
        "P=[[2]]", "q=[0]", "G=[[-1]]", "h=[-3]", "x=[3]", "inequality_multipliers=[6]",
    ],
    # beliefs and draws
    "Posterior": [
        'hypotheses={"h1": {"cherry": 0.75, "lime": 0.25}, "h2": {"cherry": 0.25, "lime": 0.75}}',
        'prior={"h1": 0.9, "h2": 0.1}', 'data=["lime", "lime"]',
    ],
    "GridPosterior": [
        "f=θ*(1 - θ)", "likelihood=θ**d * (1 - θ)**(1 - d)", "bounds=[0, 1]", "closed=true", "data=[1, 0, 1]",
    ],
    "BetaBernoulli": ["a=2", "b=2", "data=[1, 1, 0]"],
    "DirichletCategorical": ['alpha={"red": 1, "blue": 2}', 'data=["red", "red"]'],
    "NormalMean": ["mu0=0", "tau0=2", "sigma=1", "data=[1, 2, 3]"],
    "NormalInverseGamma": ["mu0=0", "kappa0=1", "alpha0=2", "beta0=2", "data=[1, 2, 3]"],
    "Joint": [
        "probabilities=[[0.12, 0.08], [0.08, 0.72]]",
        'variables={"cavity": ["yes", "no"], "tooth": ["ache", "none"]}',
    ],
    "cross_entropy_ml": ["probabilities=[0.2, 0.7, 0.9]", "targets=[0, 1, 1]"],
    "bernoulli_ml": ["data=[1, 0, 1, 1]"],
    "gaussian_ml": ["iris", "data=sepal length (cm)"],
    "line_ml": ["x=[1, 2, 3]", "y=[1.2, 1.9, 3.2]"],
    "metropolis": ["density=exp(-x**2/2)", "bounds=[-8, 8]", "n=2000"],
    "rejection_sampling": ["density=x*(1 - x)", "bounds=[0, 1]", "n=2000"],
    # networks, kernels, trees, units, concepts
    "parameter_counts": ['edges={"Disease": ["Smoking", "Diet"], "Cough": ["Disease"]}', "states=3"],
    "Constant": ["value=2", f"X={XOR}"],
    "Gaussian": ["gamma=0.5", "X=[[0, 1], [1, 1], [2, 0]]"],
    "Linear": ["iris"],
    "Multiquadric": ["c=1", f"X={XOR}"],
    "Polynomial": ["degree=2", "coef0=0", f"X={XOR}"],
    "entropy": ["play_tennis"],
    "information_gain": ["play_tennis", "values=Outlook"],
    "gain_ratio": ["play_tennis", "values=Outlook"],
    "smallest_tree": ["play_tennis"],
    "complexity": ["w=[3, -4]", "q=1.5"],
    "fit_priced": ["X=[[0, 0], [1, 1], [2, 4], [3, 9]]", "y=[1, 3, 5, 8]", "q=1.5", "alpha=1"],
    "fit_polynomial": ["x=[0, 1, 2, 3]", "y=[1, 0, 2, 5]", "degree=2"],
    "sigmoid_unit": ["X=[[0], [1], [2]]", "t=[0.1, 0.5, 0.9]", "max_iter=20"],
    "compare_biases": ["enjoy_sport", 'instance=["Sunny", "Warm", "Normal", "Strong", "Cool", "Change"]'],
    "collapse": ["iris", "learner=mlp", "learner.hidden=[2]", "learner.activation=linear", "learner.max_epochs=20"],
    "prune_weights": ["iris", "learner=mlp", "learner.hidden=[2]", "learner.max_epochs=20"],
    # measures
    "mean_interval": ["values=[1, 2, 4]"],
    "proportion_interval": ["errors=12", "n=40"],
    "split": ["play_tennis", "test=0.3"],
    "folds": ["play_tennis", "folds=3"],
    "compare": ["scores_a=[0.2, 0.3, 0.25, 0.3]", "scores_b=[0.25, 0.35, 0.2, 0.4]"],
    "generalisation_loss": [
        'hypotheses={"look": {"dark": "rain", "bright": "dry"}}',
        'P=[["dark", "rain", 0.3], ["dark", "dry", 0.1], ["bright", "rain", 0.1], ["bright", "dry", 0.5]]',
    ],
    "cross_validate": ["play_tennis", "learner=tree", "folds=5"],
    "leave_one_out": ["play_tennis", "learner=tree"],
    "learning_curve": ["iris", "learner=naive-bayes", "folds=3"],
    "bias_variance": ["iris", "learner=naive-bayes", "loss=zero_one", "n_sets=5"],
    "select_size": ["iris", "learner=tree", "size=max_depth", "sizes=[1, 2, 3]", "folds=3"],
    "learning_curves": ["iris", 'learners=["tree", "naive-bayes"]', "folds=3"],
    "description_length": ["play_tennis", "learner=naive-bayes"],
    "roc": ["play_tennis", "learner=naive-bayes"],
    "precision_recall": ["play_tennis", "learner=naive-bayes"],
    "confusion": ["play_tennis", "learner=naive-bayes"],
    "calibration": ["play_tennis", "learner=naive-bayes", "bins=3"],
    "importance": ["iris", "learner=tree"],
    "dependence": ["iris", "learner=tree", "columns=petal width (cm)"],
    "interaction": ["iris", "learner=naive-bayes", "rows=20"],
    "contributions": ["iris", "learner=tree"],
    "surrogate": ["iris", "learner=naive-bayes"],
    "mcnemar": ["iris", 'learners=["tree", "naive-bayes"]'],
    "overfitting": ["iris", 'learners=["tree", "naive-bayes"]'],
}  # fmt: skip


def _bags() -> list[object]:
    """Bags of two coins as hypotheses about instances, and two answers for one instance."""
    hypotheses = {"h1": {"x": "+"}, "h2": {"x": "-"}, "h3": {"x": "-"}}
    return [Posterior(hypotheses, {"h1": 0.4, "h2": 0.3, "h3": 0.3}, classes=["+", "-"]).compare(["x"])]


def _em() -> list[object]:
    """The mean of two numbers, one of which is not seen and is expected to be the mean."""
    return [expectation_maximization(lambda m: (2.0 + m, -((2.0 - m) ** 2)), lambda s: s / 2.0, 0.0)]


def _descent() -> list[object]:
    """Down a sum of two squares, one of them at a time."""
    goals = np.array([1.0, 3.0])
    return [
        stochastic_gradient_descent(
            lambda x, rows: float(((x[0] - goals[rows]) ** 2).mean()),
            lambda x, rows: np.array([2.0 * (x[0] - goals[rows]).mean()]), [0.0], 2,
        )
    ]  # fmt: skip


def _identification() -> list[object]:
    model = CandidateElimination().fit(datasets.load("enjoy_sport"))
    return [model.identify(lambda day: day["Sky"] == "Sunny")]


def _space() -> list[object]:
    days = datasets.load("enjoy_sport")
    model = CandidateElimination().fit(days)
    labels = days.to_pandas()[days.layout.target[0]]
    return [Posterior(model.space_).update((days.to_pandas()[list(model.space_.names)], labels == model.positive_))]


IN_PYTHON: dict[str, Callable[[], list[object]]] = {
    "stochastic_gradient_descent": _descent,
    "expectation_maximization": _em,
    "EMResult": _em,
    "ComparedAnswers": _bags,
    "VersionSpacePosterior": _space,
    "Identification": _identification,
    "Custom": lambda: [Custom(lambda x, y: float(x @ y))],
    "Precomputed": lambda: [Precomputed()],
    "KernelSum": lambda: [Linear() + Constant(1.0)],
    "KernelProduct": lambda: [Linear() * Gaussian(gamma=0.5)],
    "Scaled": lambda: [2.0 * Linear()],
    "Power": lambda: [Linear() ** 2],
    "Exponential": lambda: [Linear().exp()],
    "Normalized": lambda: [Polynomial(degree=2, coef0=1).normalized()],
    "OnColumns": lambda: [Linear().on([0])],
}
"""What shows its work and is called in Python only, by its name."""


def _holes() -> np.ndarray:
    return np.array([[1.0, 2.0, 0.5], [2.0, np.nan, 1.0], [0.0, 1.0, np.nan], [3.0, 4.0, 2.0], [1.5, 2.0, 1.0]])


ITERATED: dict[str, Callable[[], object]] = {
    "pca by em": lambda: PCA(1).fit(_holes()),
    "fine-tuning": lambda: RBFNetworkRegressor(2, fine_tune=2).fit(np.arange(8.0)[:, None], np.sin(np.arange(8.0))),
    "mixture": lambda: GaussianMixture(2, max_iter=3, random_state=0).fit(np.array([[0.0], [0.5], [4.0], [4.5]])),
    "logistic": lambda: LogisticRegression().fit(datasets.load("iris")),
    "network": lambda: MLPRegressor(2, max_epochs=3).fit(np.arange(6.0)[:, None], np.arange(6.0)),
    "k-means": lambda: KMeans(2, random_state=0).fit(np.array([[0.0], [0.5], [4.0], [4.5]])),
    "newton": lambda: newton(lambda x: float(x @ x), lambda x: 2 * x, lambda x: 2 * np.eye(1), [1.0]),
    "sigmoid unit": lambda: sigmoid_unit([[0.0], [1.0]], [0.1, 0.9], max_iter=3),
}
"""Fits whose first iteration is derived."""


def parts(name: str) -> tuple[Sequence[str], Sequence[str]]:
    """The settings and the table of a command."""
    words = COMMANDS[name]
    return [word for word in words if "=" in word], [word for word in words if "=" not in word]


def calculated(name: str) -> tuple[object, object]:
    """What a calculation gives, and the rows that it is derived on, or None."""
    settings, data = parts(name)
    return calculate(name, settings, data, None, ReadingOptions())
