"""`novacula work` for what is not a learner: every public function and record whose answer derives itself, by name.

novacula work pac_sample_size --set hypotheses=973 --set epsilon=0.1
novacula work newton --set "f=x**4 - 3*x**2" --set start=[2]
novacula work information_gain play_tennis --set values=Outlook
novacula work cross_validate play_tennis --set learner=tree --set folds=5
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from novacula.cli import measuring, typing_in
from novacula.cli.calling import called
from novacula.cli.data import named_values, read_table
from novacula.cli.reading import ReadingOptions
from novacula.errors import ParameterError

TakesTable = Literal["never", "may", "must"]


@dataclass(frozen=True)
class Calculation:
    """Where a function or a record is, how settings become its arguments, and whether it is of a table."""

    room: str
    calculate: Callable[..., Any]
    table: TakesTable = "never"


def is_calculation(name: str) -> bool:
    """Whether it is the name of something that is calculated, or that only Python can call, rather than a learner."""
    return name in CALCULATIONS or name in ONLY_IN_PYTHON


def calculate(
    name: str, settings: Sequence[str], data: Sequence[str], target: str | None, reading: ReadingOptions
) -> tuple[Any, Any]:
    """What is calculated from settings and, where it is of one, a table; and rows that it is derived on, or None."""
    if name in ONLY_IN_PYTHON:
        raise ParameterError(f"{name} is for Python: {ONLY_IN_PYTHON[name]}")
    calculation, values = CALCULATIONS[name], named_values(settings)
    function = getattr(import_module(f"novacula.{calculation.room}"), name)
    if data and calculation.table == "never":
        raise ParameterError(f"{name} takes no table, so {data[0]!r} has no place there")
    if not data and calculation.table == "must":
        raise ParameterError(f"{name} is of a table: name a file or a data set")
    if calculation.table == "never":
        return calculation.calculate(function, values), None
    table = read_table(list(data), target, reading) if data else None
    if calculation.room == "kernel":
        rows = values.pop("X", None) if table is None else measuring.number_rows(table)
        return called(function, values), rows
    return calculation.calculate(function, values, table), None


def _named(room: str, how: Callable[..., Any], names: str, table: TakesTable = "never") -> dict[str, Calculation]:
    return {name: Calculation(room, how, table) for name in names.split()}


CALCULATIONS: Mapping[str, Calculation] = {
    **_named("theory", measuring.of_space, "pac_sample_size pac_error pac_delta structural_risk"),
    **_named("theory", called, "vc_sample_size vc_error growth_function cover_dichotomies error_parts"),
    **_named("theory", called, "conjunctions decision_trees k_term_dnf k_clause_cnf"),
    **_named("theory", measuring.of_family, "count_dichotomies vc_dimension"),
    **_named("optimize", typing_in.optimum, "newton gradient_descent conjugate_gradient lbfgs"),
    **_named("optimize", typing_in.searched_line, "line_search"),
    **_named("optimize", typing_in.least_squares, "levenberg_marquardt"),
    **_named("optimize", typing_in.held_to_equalities, "lagrange"),
    **_named("optimize", typing_in.held_to_inequalities, "sequential_quadratic"),
    **_named("optimize", typing_in.quadratic, "quadratic_program"),
    **_named("optimize", typing_in.checked_gradient, "check_gradient"),
    **_named("optimize", typing_in.checked_conditions, "kkt_residuals"),
    **_named("bayes", typing_in.sampled, "metropolis rejection_sampling"),
    **_named("bayes", typing_in.gridded, "GridPosterior"),
    **_named("bayes", typing_in.believed, "Posterior BetaBernoulli DirichletCategorical NormalMean NormalInverseGamma"),
    **_named("bayes", called, "Joint cross_entropy_ml"),
    **_named("bayes", measuring.of_columns, "bernoulli_ml gaussian_ml line_ml", "may"),
    **_named("graph", called, "parameter_counts"),
    **_named("kernel", called, "Constant Gaussian Linear Multiquadric Polynomial", "may"),
    **_named("tree", measuring.of_columns, "entropy information_gain gain_ratio", "may"),
    **_named("tree", measuring.of_columns, "smallest_tree", "must"),
    **_named("linear", measuring.of_columns, "fit_polynomial", "may"),
    **_named("linear", measuring.of_numbers, "sigmoid_unit fit_priced", "may"),
    **_named("linear", called, "complexity"),
    **_named("concept", measuring.of_columns, "compare_biases", "must"),
    **_named("neural", measuring.of_network, "collapse prune_weights", "must"),
    **_named("evaluate", called, "compare proportion_interval"),
    **_named("evaluate", measuring.of_columns, "mean_interval folds", "may"),
    **_named("evaluate", measuring.of_columns, "split", "must"),
    **_named("evaluate", measuring.of_pairs, "generalisation_loss"),
    **_named("evaluate", measuring.of_learner, "cross_validate leave_one_out learning_curve bias_variance", "must"),
    **_named("evaluate", measuring.of_learner, "select_size", "must"),
    **_named("evaluate", measuring.of_learners, "learning_curves", "must"),
    **_named("evaluate", measuring.of_model, "description_length", "must"),
    **_named("evaluate", measuring.of_answers, "roc precision_recall confusion calibration", "must"),
    **_named("evaluate", measuring.of_two_models, "mcnemar", "must"),
    **_named("explain", measuring.of_model, "importance dependence interaction contributions surrogate", "must"),
    **_named("evaluate", measuring.of_seen_and_fresh, "overfitting", "must"),
}
"""What is calculated by its name."""

ONLY_IN_PYTHON: Mapping[str, str] = {
    "stochastic_gradient_descent": "its function is of a point and of rows, which cannot be typed",
    "expectation_maximization": "its two steps are functions of your own",
    "EMResult": "expectation_maximization gives it, whose two steps are functions of your own",
    "ComparedAnswers": "Posterior(…).compare gives it, whose hypotheses say the classes of instances",
    "VersionSpacePosterior": "Posterior gives it, of a ConjunctiveSpace",
    "Identification": "identify of CandidateElimination gives it, which asks an oracle, question by question",
    "CostMatrix": "its costs are a table by classes and actions, which you make or of_utility does",
    "Custom": "its function of two rows is your own",
    "Precomputed": "its rows are those of a Gram matrix that was computed before",
    **dict.fromkeys(
        ("KernelSum", "KernelProduct", "Scaled", "Power", "Exponential", "Normalized", "OnColumns"),
        "it is made of other kernels, by +, *, **, exp, normalized and on",
    ),
}
"""What shows its work too, and why it cannot be called with settings."""
