"""Numbers: means and spreads before and after the data, and the Gaussian of maximum likelihood."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from novacula.bayes.conjugate.derivation.categories import next_steps
from novacula.learner.derivation import only_first_rows
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.bayes.conjugate.normal_inverse_gamma import NormalInverseGamma
    from novacula.bayes.conjugate.normal_mean import NormalMean
    from novacula.bayes.conjugate.numbers import GaussianEstimate

OF_DATA = {"x̄": "the mean of the data", "Q": "the squared deviations of the data from their mean, added up"}


# --- numbers ---------------------------------------------------------------------------------------------------------


def normal_mean_steps(model: NormalMean) -> list[Step]:
    """The posterior's spread and mean."""
    spreads = {"τ_0": model.tau0, "n": model.n, "σ": model.sigma}
    precision = "1 / τ_0 ** 2 + n / σ ** 2"
    spread = Equation(
        "τ′",
        f"1 / sqrt({precision})",
        spreads,
        of=("parameters", "tau0"),
        where={"τ_0": "the prior's standard deviation", "n": "how many data", "σ": "the known spread of the data"},
    )
    mean = Equation(
        "μ′",
        f"(μ_0 / τ_0 ** 2 + n * x̄ / σ ** 2) / ({precision})",
        spreads | {"μ_0": model.mu0, "x̄": model.data_mean},
        of=("mean",),
        where={"μ_0": "the prior's mean", "x̄": OF_DATA["x̄"]},
    )
    return [Step("Spread", spread), Step("Mean", mean, figure=model.plot())]


def derive_normal_mean(model: NormalMean) -> Work:
    """The posterior, and the evidence."""
    steps = normal_mean_steps(model)
    if model.n > 0:
        spread = math.hypot(model.tau0, model.sigma / math.sqrt(model.n))
        data = {"σ": model.sigma, "n": model.n, "v": spread**2}
        of_mean = Equation("v", "τ_0 ** 2 + σ ** 2 / n", data | {"τ_0": model.tau0})
        evidence = Equation(
            "log(P(D))",
            "-(log(2 * π * v) + (x̄ - μ_0) ** 2 / v) / 2 - (Q / σ ** 2 + (n - 1) * log(2 * π * σ ** 2) + log(n)) / 2",
            data | {"x̄": model.data_mean, "μ_0": model.mu0, "Q": model.data_ssd},
            of=("log_evidence",),
            where={"Q": OF_DATA["Q"]},
        )
        note = "⟦v⟧ is the variance of ⟦x̄⟧ before the data; the second bracket is about the data around ⟦x̄⟧."
        steps.append(Step("Evidence", (of_mean, evidence), note=note))
    return Work("Normal prior of a mean, normal data", steps)


def derive_next_normal(model: NormalMean, data: list[float], options: WorkOptions) -> Work:
    """The density of each datum to come."""
    mu, tau = model.parameters.values()
    spread = Equation("s", "sqrt(τ′ ** 2 + σ ** 2)", {"s": model.predictive.std(), "τ′": tau, "σ": model.sigma})
    equations = [
        Equation(
            f"p(x[{i + 1}] | D)",
            f"1 / (s * sqrt(2 * π)) * exp(-(x[{i + 1}] - μ′) ** 2 / (2 * s ** 2))",
            {f"p(x[{i + 1}] | D)": model.predictive.pdf(x), f"x[{i + 1}]": x, "s": model.predictive.std(), "μ′": mu},
        )
        for i, x in enumerate(data[: options.rows])
    ]
    steps = [*normal_mean_steps(model), Step("Spread of the next datum", spread)]
    steps += next_steps((f"⟦{x!r}⟧" for x in data[: options.rows]), equations)
    return Work("The next datum", steps, only_first_rows(options.rows, len(data) > options.rows))


def inverse_gamma_steps(model: NormalInverseGamma) -> list[Step]:
    """The four parameters of the posterior."""
    kappa, mu, n = {"κ_0": model.kappa0}, {"μ_0": model.mu0}, {"n": model.n}
    data = {"x̄": model.data_mean}
    scale = Equation(
        "β′",
        "β_0 + Q / 2 + κ_0 * n * (x̄ - μ_0) ** 2 / (2 * (κ_0 + n))",
        {"β_0": model.beta0, "Q": model.data_ssd} | data | kappa | n | mu,
        of=("parameters", "beta0"),
        where={"Q": OF_DATA["Q"]},
    )
    mean = Equation(
        "μ′",
        "(κ_0 * μ_0 + n * x̄) / (κ_0 + n)",
        kappa | mu | n | data,
        of=("parameters", "mu0"),
        where={"x̄": OF_DATA["x̄"]},
    )
    weight = {"κ_0": "how many data the prior's mean counts for", "n": "how many data"}
    shape = Equation("α′", "α_0 + n / 2", {"α_0": model.alpha0} | n, of=("parameters", "alpha0"))
    return [
        Step("⟦κ⟧", Equation("κ′", "κ_0 + n", kappa | n, of=("parameters", "kappa0"), where=weight)),
        Step("Mean", mean, figure=model.plot()),
        Step("⟦α⟧", shape),
        Step("⟦β⟧", scale),
    ]


def derive_inverse_gamma(model: NormalInverseGamma) -> Work:
    """The posterior, the estimates of the variance, and the evidence."""
    p = model.parameters
    shape = {"α′": p["alpha0"], "β′": p["beta0"]}
    points = [Equation("σ_MAP ** 2", "β′ / (α′ + 3 / 2)", shape, of=("map", 1))]
    if p["alpha0"] > 1:
        points.insert(0, Equation("E(σ ** 2 | D)", "β′ / (α′ - 1)", shape, of=("mean", 1)))
    evidence = Equation(
        "log(P(D))",
        "lgamma(α′) - lgamma(α_0) + α_0 * log(β_0) - α′ * log(β′) + log(κ_0 / κ′) / 2 - n / 2 * log(2 * π)",
        {
            **shape,
            "α_0": model.alpha0,
            "β_0": model.beta0,
            "κ_0": model.kappa0,
            "κ′": p["kappa0"],
            "n": model.n,
        },
        of=("log_evidence",),
    )
    steps = [*inverse_gamma_steps(model), Step("Variance", tuple(points)), Step("Evidence", evidence)]
    return Work("Normal-inverse-gamma prior, normal data", steps)


def derive_next_student(model: NormalInverseGamma, data: list[float], options: WorkOptions) -> Work:
    """The density of each datum to come, which has Student's t distribution."""
    p = model.parameters
    freedom, spread = 2.0 * p["alpha0"], math.sqrt(p["beta0"] / p["alpha0"] * (1.0 + 1.0 / p["kappa0"]))
    names = {"α′": p["alpha0"], "β′": p["beta0"], "κ′": p["kappa0"]}
    parts = (
        Equation("ν", "2 * α′", {"α′": p["alpha0"]}),
        Equation("s", "sqrt(β′ / α′ * (1 + 1 / κ′))", names | {"s": spread}),
    )
    equations = [
        Equation(
            f"log(p(x[{i + 1}] | D))",
            f"lgamma((ν + 1) / 2) - lgamma(ν / 2) - log(π * ν * s ** 2) / 2"
            f" - (ν + 1) / 2 * log(1 + (x[{i + 1}] - μ′) ** 2 / (ν * s ** 2))",
            {"ν": freedom, "s": spread, "μ′": p["mu0"], f"x[{i + 1}]": x}
            | {f"log(p(x[{i + 1}] | D))": model.predictive.logpdf(x)},
        )
        for i, x in enumerate(data[: options.rows])
    ]
    steps = [*inverse_gamma_steps(model), Step("Student's t of the next datum", parts)]
    steps += next_steps((f"⟦{x!r}⟧" for x in data[: options.rows]), equations)
    return Work("The next datum", steps, only_first_rows(options.rows, len(data) > options.rows))


def derive_gaussian(estimate: GaussianEstimate) -> Work:
    """Maximum likelihood: the likelihood, its logarithm, where its derivatives are zero, and the numbers."""
    trace, is_even = estimate.trace_, bool(np.all(estimate.trace_.weight == 1.0))
    w, weights = ("", {}) if is_even else ("w[i] * ", {"w[i]": trace.weight})
    n = {"n": trace.n}
    one = "1 / (σ * sqrt(2 * π)) * exp(-(x[i] - μ) ** 2 / (2 * σ ** 2))"
    likelihood = Equation("L(μ, σ)", f"product({one if is_even else f'({one}) ** w[i]'} for i in _)")
    logarithm = Equation(
        "log(L(μ, σ))", f"-n / 2 * log(2 * π * σ ** 2) - sum({w}(x[i] - μ) ** 2 for i in _) / (2 * σ ** 2)"
    )
    zeros = (
        Equation(f"sum({w}(x[i] - μ) for i in _) / σ ** 2", "0"),
        Equation(f"sum({w}(x[i] - μ) ** 2 for i in _) / σ ** 3 - n / σ", "0"),
    )
    data = {"x[i]": trace.first} | weights
    mean = Equation(
        "μ_ML",
        f"sum({w}x[i] for i in _) / n",
        data | n,
        of=("mean",),
        where={"n": "how many data" if is_even else "the sum of the weights"},
        rest={"i": trace.rest_sum} if trace.rest_sum else {},
    )
    spread = Equation(
        "σ_ML",
        f"sqrt(sum({w}(x[i] - μ_ML) ** 2 for i in _) / n)",
        data | n | {"μ_ML": estimate.mean},
        of=("std",),
        rest={"i": trace.rest_squares} if trace.rest_squares else {},
    )
    best = Equation(
        "log(L(μ_ML, σ_ML))",
        "-n / 2 * (log(2 * π * σ_ML ** 2) + 1)",
        n | {"σ_ML": estimate.std},
        of=("log_likelihood",),
    )
    steps = [
        Step("The likelihood", likelihood),
        Step("Its logarithm", logarithm),
        Step("Its derivatives by ⟦μ⟧ and by ⟦σ⟧ are zero at the largest value", zeros),
        Step("Mean", mean),
        Step("Standard deviation", spread),
        Step("The largest value", best),
    ]
    return Work("A Gaussian by maximum likelihood", steps)
