"""The work of draws from a density: the first proposals, the share accepted, and the mean beside the exact one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from novacula.learner.derivation import heaviest
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.bayes.sampling import DensitySample

RULES = {
    "Metropolis": Equation("P(x′ | x)", "min(1, f(x′) / f(x))", where={"x′": "the place that is proposed"}),
    "rejection": Equation("P(x′)", "f(x′) / M", where={"x′": "the place that is proposed", "M": "the largest f"}),
}
"""With what probability a proposal is accepted."""


def derive_draws_of_density(sample: DensitySample) -> Work:
    """The rule, the first proposals, the share accepted, then for each number its mean, error and exact mean."""
    counts = {"a": sample.n_accepted, "n": sample.n_proposed}
    meanings = {"a": "proposals that were accepted", "n": "proposals"}
    share = Equation("A", "a / n", counts, ("acceptance",), meanings)
    steps = [
        Step("When a proposal is accepted", RULES[sample.method], table=_proposals(sample)),
        Step("The share accepted", share),
    ]
    steps += [Step(f"The mean{_of(sample, k)}", tuple(_mean(sample, k))) for k in range(sample.draws.shape[1])]
    steps.append(Step("Draws, running mean, density", figure=sample.plot()))
    return Work(f"Draws from a density: {sample.method}", steps)


def _of(sample: DensitySample, k: int) -> str:
    return "" if sample.draws.shape[1] == 1 else f" of ⟦θ_{k + 1}⟧"


def _proposals(sample: DensitySample) -> WorkTable:
    first, d = sample.first, sample.draws.shape[1]
    is_chain = sample.method == "Metropolis"
    name = "x" if d == 1 else "x_{}"
    before = [f"⟦{name.format(k + 1)}⟧" for k in range(d)] if is_chain else []
    header = (*before, *(f"⟦{name.format(k + 1)}′⟧" for k in range(d)))
    header += (("⟦f(x)⟧" if is_chain else "⟦M⟧"), "⟦f(x′)⟧", "⟦u⟧", "accepted")
    rows = [
        (
            *(first.start[i].tolist() if is_chain else ()),
            *first.end[i].tolist(),
            *first.density[i].tolist(),
            float(first.uniform[i]),
            "yes" if first.accepted[i] else "no",
        )
        for i in range(len(first.uniform))
    ]
    return WorkTable(header, tuple(rows), "The first proposals: accepted where the random number u is below.")


def _mean(sample: DensitySample, k: int) -> list[Equation]:
    index = "" if sample.draws.shape[1] == 1 else f"_{k + 1}"
    x, mean, s = f"x{index}[i]", f"m{index}", f"s{index}"
    draws, batches = sample.draws[:, k], sample.batch_means[:, k]
    kept, rest = heaviest(draws, "i")
    size, error = float(len(draws)), float(sample.standard_error[k])
    found = Equation(
        mean,
        f"sum({x} for i in _) / N",
        {x: draws[kept], "N": size},
        ("mean", k),
        {"N": "draws"},
        rest,
    )
    is_chain = len(batches) < len(draws)
    means, parts = ("means of batches, one after the other", "batches") if is_chain else ("the draws", "draws")
    kept, rest = heaviest((batches - batches.mean()) ** 2, "b")
    spread = Equation(
        s,
        f"sqrt(sum((m{index}[b] - c{index}) ** 2 for b in _) / (B * (B - 1)))",
        {f"m{index}[b]": batches[kept], f"c{index}": float(batches.mean()), "B": float(len(batches))},
        ("standard_error", k),
        {f"m{index}[b]": means, f"c{index}": "their mean", "B": parts},
        rest,
    )
    exact = float(sample.exact_mean[k])
    theta = "θ" if not index else f"θ{index}"
    away = Equation(
        f"z{index}",
        f"abs({mean} - E({theta})) / {s}",
        {mean: float(sample.mean[k]), f"E({theta})": exact, s: error},
        where={f"E({theta})": "the exact mean", f"z{index}": "how many standard errors lie between them"},
    )
    long = sample.long_batch_means[:, k]
    longer = Equation(
        f"e{index}",
        f"sqrt(sum((l{index}[b] - q{index}) ** 2 for b in _) / (L * (L - 1)))",
        {f"l{index}[b]": long, f"q{index}": float(long.mean()), "L": float(len(long))},
        ("long_error", k),
        {f"l{index}[b]": "means of long batches", f"q{index}": "mean of the long batches", "L": "long batches"},
    )
    ends = {mean: float(sample.mean[k]), "t": sample.quantile, s: error, f"e{index}": float(sample.long_error[k])}
    interval = [
        Equation(
            f"{name}{index}", f"{mean} {sign} t * max({s}, e{index})", ends, ("interval", k, i),
            {"t": "Student's quantile for the long batches, of an interval that holds 95 of 100"},
        )
        for i, (name, sign) in enumerate((("low", "-"), ("high", "+")))
    ]  # fmt: skip
    return [found, spread, away, longer, *interval] if math.isfinite(error) and error > 0 else [found]
