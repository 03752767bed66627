"""A coin and a die: to learn is to count, and the next datum has its share of the counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scipy import special

from novacula.learner.derivation import SHOWN, distinct_names, only_first, only_first_rows
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word

if TYPE_CHECKING:
    from novacula.bayes.conjugate.beta_bernoulli import BetaBernoulli
    from novacula.bayes.conjugate.dirichlet_categorical import DirichletCategorical


def next_steps(data: Iterable[Any], equations: Iterable[Equation]) -> list[Step]:
    """A step for each datum that may come next."""
    return [Step(f"If the next is {datum}", equation) for datum, equation in zip(data, equations, strict=True)]


# --- a coin ----------------------------------------------------------------------------------------------------------


def beta_steps(model: BetaBernoulli) -> list[Step]:
    """The posterior's parameters."""
    ones = Equation(
        "a′",
        "a + k",
        {"a": model.a, "k": model.ones},
        of=("parameters", "a"),
        where={"a": "the ones that the prior counts for", "k": "ones in the data"},
    )
    zeros = Equation(
        "b′",
        "b + l",
        {"b": model.b, "l": model.zeros},
        of=("parameters", "b"),
        where={"b": "the zeros that the prior counts for", "l": "zeros in the data"},
    )
    return [Step("Ones", ones), Step("Zeros", zeros)]


def derive_beta(model: BetaBernoulli) -> Work:
    """The posterior, its mean and its mode, and the evidence."""
    a, b = model.parameters.values()
    after, before = {"a′": a, "b′": b}, {"a": model.a, "b": model.b}
    points = [Equation("E(θ | D)", "a′ / (a′ + b′)", after, of=("mean",))]
    if a > 1 and b > 1:
        points.append(Equation("θ_MAP", "(a′ - 1) / (a′ + b′ - 2)", after, of=("map",)))
    if model.ones + model.zeros > 0:
        points.append(Equation("θ_ML", "k / (k + l)", {"k": model.ones, "l": model.zeros}, of=("ml",)))
    logs = {"log(B(a′, b′))": special.betaln(a, b), "log(B(a, b))": special.betaln(model.a, model.b)}
    evidence = Equation(
        "log(P(D))",
        (
            "log(B(a′, b′)) - log(B(a, b))",
            "lgamma(a′) + lgamma(b′) - lgamma(a′ + b′) - (lgamma(a) + lgamma(b) - lgamma(a + b))",
        ),
        after | before | logs,
        of=("log_evidence",),
    )
    steps = [*beta_steps(model), Step("Estimates of ⟦θ⟧", tuple(points), figure=model.plot())]
    return Work("Beta prior, Bernoulli data", [*steps, Step("Evidence", evidence)])


def derive_next_flip(model: BetaBernoulli, data: list[float], options: WorkOptions) -> Work:
    """The probability of each datum to come."""
    a, b = model.parameters.values()
    flips = [round(x) for x in data[: options.rows]]
    equations = [
        Equation(
            f"P({x} | D)",
            "a′ / (a′ + b′)" if x else "b′ / (a′ + b′)",
            {f"P({x} | D)": model.predictive.pmf(x), "a′": a, "b′": b},
        )
        for x in flips
    ]
    notes = only_first_rows(options.rows, len(data) > options.rows)
    return Work("The next datum", [*beta_steps(model), *next_steps(flips, equations)], notes)


# --- a die -----------------------------------------------------------------------------------------------------------


def dirichlet_steps(model: DirichletCategorical, options: WorkOptions) -> list[Step]:
    """The posterior's parameters."""
    names, prior = distinct_names(model.categories), model.prior_alpha
    shown = len(names) if options.is_full else SHOWN
    return [
        Step(
            f"⟦α⟧ of {name}",
            Equation(
                f"α′[{word(name)}]",
                f"α[{word(name)}] + n[{word(name)}]",
                {f"α[{word(name)}]": prior[k], f"n[{word(name)}]": model.counts[k]},
                of=("parameters", "alpha", k),
                where={f"n[{word(name)}]": f"how often {name} was seen"},
            ),
        )
        for k, name in enumerate(names[:shown])
    ]


def _side(model: DirichletCategorical, names: list[str], k: int) -> Equation:
    alpha = model.parameters["alpha"]
    values = {f"α′[{word(names[k])}]": alpha[k], "α′[c]": dict(zip(names, alpha.tolist(), strict=True))}
    right = f"α′[{word(names[k])}] / sum(α′[c] for c in _)"
    return Equation(f"P({word(names[k])} | D)", right, values, of=("mean", k))


def derive_dirichlet(model: DirichletCategorical, options: WorkOptions) -> Work:
    """The posterior, the probability of each category, and the evidence."""
    names = distinct_names(model.categories)
    shown = len(names) if options.is_full else min(len(names), SHOWN)
    sides = tuple(_side(model, names, k) for k in range(shown))
    evidence = Equation(
        "log(P(D))",
        "sum(lgamma(α′[c]) - lgamma(α[c]) for c in _) - lgamma(sum(α′[c] for c in _)) + lgamma(sum(α[c] for c in _))",
        {"α′[c]": model.parameters["alpha"], "α[c]": model.prior_alpha},
        of=("log_evidence",),
    )
    steps = [
        *dirichlet_steps(model, options),
        Step("The probability of each category", sides, figure=model.plot()),
        Step("Evidence", evidence),
    ]
    return Work("Dirichlet prior, categorical data", steps, only_first(shown, len(names), "category"))


def derive_next_category(model: DirichletCategorical, places: list[int], options: WorkOptions) -> Work:
    """The probability of each datum to come, by the place of its category."""
    names, shown = distinct_names(model.categories), places[: options.rows]
    sides = next_steps([names[k] for k in shown], [_side(model, names, k) for k in shown])
    return Work("The next datum", sides, only_first_rows(options.rows, len(places) > options.rows))
