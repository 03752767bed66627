"""The works of the family: boundaries after each example, the size as arithmetic, votes, tests, and what is decided."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.concept.conjunction import Conjunction, Positions, shown
from novacula.concept.counting import count_steps
from novacula.concept.lattice import MAX_DRAWN, lattice_figure
from novacula.concept.space import ConjunctiveSpace
from novacula.concept.version_space import Box, VersionSpace
from novacula.errors import DataError
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable

if TYPE_CHECKING:
    from novacula.concept.candidate_elimination import CandidateElimination
    from novacula.concept.find_s import FindS
    from novacula.concept.list_then_eliminate import ListThenEliminate
    from novacula.concept.rote import InstanceMemory, RoteLearner

_EXAMPLES = 12  # examples that a table shows
_ROWS = 5  # predictions derived
_BOUNDARY = 4  # members of G that a cell shows
_LONGEST = 200  # members of G up to which a prefix's is found
_FACTORS = 12  # attributes written out in a product
_NEGATIVES = 4  # negatives up to which inclusion and exclusion is written out
_LISTED = 12  # members whose votes are listed
_HUGE = 10**300  # beyond, a double does not hold an integer


# --- Candidate-Elimination --------------------------------------------------------------------------------------------


def derive_version_space(model: CandidateElimination) -> Work:
    """The boundaries after each example, the size, the lattice, and what is decided."""
    held = model._fitted()
    steps = [size_step(model.space_), _boundaries(model)]
    notes = [] if model.diagnosis_ is None else [f"The version space is empty: {model.diagnosis_}."]
    if not model.collapsed_:
        steps += [*_count_steps(held), *_decided(model, held)]
        if held.size > MAX_DRAWN:
            notes.append(f"The lattice is left out: {held.size:,} members are too many to draw.")
    return Work("Candidate-Elimination: the version space", steps, notes)


def size_step(space: ConjunctiveSpace) -> Step:
    """How many hypotheses there are."""
    counts = list(space.constraint_counts)
    values: dict[str, float] = {f"c{j + 1}": count for j, count in enumerate(counts[:_FACTORS])}
    if space.size_semantic > _HUGE:
        return Step(
            "Hypotheses of the space", "1 + Π cⱼ", note=f"There are about 2^{space.size_semantic.bit_length()}."
        )
    if len(counts) > _FACTORS:
        values["rest"] = math.prod(counts[_FACTORS:])
    return Step(
        "Hypotheses of the space",
        "|H| = 1 + Π cⱼ, with cⱼ constraints on attribute j: d + 1 where it is nominal, m(m + 1)/2 where it is ordered",
        f"1 + {' * '.join(values)}",
        values,
        space.size_semantic,
        ("space_", "size_semantic"),
    )


def _boundaries(model: CandidateElimination) -> Step:
    """S and G after each of the first examples."""
    rows, examples = [], model.examples_
    for n in range(1, min(len(examples.positive), _EXAMPLES) + 1):
        part = examples.first(n)
        held = VersionSpace.of(model.space_, part.positives, part.negatives)
        instance = _instance(model.space_, part.positions[-1])
        label = "+" if part.positive[-1] else "−"
        rows.append((int(model.row_names_.first[n - 1]), instance, label, _joined(held.specific), _general(held)))
    caption = ""
    if len(examples.positive) > _EXAMPLES:
        caption = f"The first {_EXAMPLES} of {len(examples.positive)} distinct examples."
    return Step(
        "S and G after each example", table=WorkTable(("row", "example", "label", "S", "G"), tuple(rows), caption)
    )


def _general(held: VersionSpace) -> str:
    try:
        return _joined(held.most_general(_LONGEST))
    except DataError:
        return f"more than {_LONGEST} members"


def _joined(members: Sequence[Conjunction]) -> str:
    if not members:
        return "none: nothing fits"
    more = f" and {len(members) - _BOUNDARY} more" if len(members) > _BOUNDARY else ""
    return ", ".join(map(str, members[:_BOUNDARY])) + more


def _instance(space: ConjunctiveSpace, row: Positions) -> str:
    return f"⟨{', '.join(shown(space.values[j][p // 2]) for j, p in enumerate(row.tolist()))}⟩"


def _count_steps(held: VersionSpace) -> Iterator[Step]:
    """The size as arithmetic, and the lattice where it is small."""
    figure = lattice_figure(list(held.members())) if held.size <= MAX_DRAWN else None
    if held.size > _HUGE:
        yield Step("Members", note=f"There are about 2^{held.size.bit_length()} of them.")
        return
    if held.box is None:
        formula = "|VS| = ∅ and the n others that reject every negative"
        expression, values = "1 + n", {"n": float(held.size - 1)}
    elif len(held.hardest) <= _NEGATIVES:
        formula = "|VS| = conjunctions above S, less those that accept negatives, by inclusion and exclusion"
        expression, values = _inclusion_exclusion(held, held.box)
    else:
        formula = "|VS| = members by what they make of one constraint of S"
        expression, values = _by_one_chain(held, held.box)
    yield Step("Members", formula, expression, values, held.size, ("version_space_size_",), figure=figure)


def _inclusion_exclusion(held: VersionSpace, box: Box) -> tuple[str, dict[str, float]]:
    ease, room = held.chains(*box, held.hardest)
    terms, values = [], {}
    for k in range(len(ease) + 1):
        for chosen in combinations(range(len(ease)), k):
            name = "above_S" if not chosen else "accept_" + "_".join(str(i + 1) for i in chosen)
            least = ease[list(chosen)].max(axis=0, initial=0)
            values[name] = float(math.prod((room + 1 - least).tolist()))
            terms.append(f"{'-' if k % 2 else '+'} {name}" if chosen else name)
    return " ".join(terms), values


def _by_one_chain(held: VersionSpace, box: Box) -> tuple[str, dict[str, float]]:
    """Members by how far they widen S on one chain, each number counted on its own."""
    ease, room = held.chains(*box, held.hardest)
    used = [int(c) for c in np.flatnonzero(ease.any(axis=0))]
    chain = min(used, key=lambda c: len(np.unique(ease[:, c])))
    steps = [0, *np.unique(ease[:, chain][ease[:, chain] > 0]).tolist(), int(room[chain]) + 1]
    values: dict[str, float] = {}
    for k, (start, stop) in enumerate(pairwise(steps)):
        left = np.delete(ease[ease[:, chain] <= start], chain, axis=1)
        values |= {f"w{k}": stop - start, f"n{k}": count_steps(left, np.delete(room, chain))}
    return " + ".join(f"w{k} * n{k}" for k in range(len(steps) - 1)), values


def _decided(model: CandidateElimination, held: VersionSpace) -> Iterator[Step]:
    """Which share of all instances each learner is certain of: the stronger the bias, the larger."""
    n, seen = model.space_.n_instances, len(model.examples_.positive)
    title, formula = "Instances that are decided", "share = (certain yes + certain no) / |X|"
    if n > _HUGE:
        yield Step(title, formula, note=f"There are about 2^{n.bit_length()} instances.")
        return
    try:
        yes, no = held.n_decided()
    except DataError as error:
        yield Step(title, formula, note=f"The share is not given: {error}.")
        return
    rows = (
        ("rote learner", seen, seen / n),
        ("Candidate-Elimination", yes + no, (yes + no) / n),
        ("FIND-S", n, 1.0),
    )
    table = WorkTable(("learner, by strength of bias", "instances", "share"), rows)
    values = {"yes": yes, "no": no, "n": n}
    yield Step(title, formula, "(yes + no) / n", values, (yes + no) / n, table=table)


def derive_votes(model: Any, X: Any, note: str = "A tie is a no.") -> Work:
    """The vote for each of the first rows, written out."""
    yes, total = model.votes(X)
    rows = model._rows(X)
    place = int(np.flatnonzero(model.classes_ == model.positive_)[0])
    steps = [
        Step(
            f"Row {i + 1}: votes for {model.positive_}",
            "P(yes | x) = |{h in VS : h(x) = 1}| / |VS|",
            "yes / n" if total <= _HUGE else "share",
            {"yes": yes[i], "n": total} if total <= _HUGE else {"share": yes[i] / total},
            yes[i] / total,
            ("predict_proba", i, place),
            table=_ballot(model, rows[i], total),
        )
        for i in range(min(len(yes), _ROWS))
    ]
    notes = [f"The first {_ROWS} of {len(yes)} rows are derived."] if len(yes) > _ROWS else []
    return Work(f"{model.card.name}: the votes", steps, [*notes, note])


def _ballot(model: Any, row: Positions, total: int) -> WorkTable | None:
    """Each member and what it says, where they are few."""
    if total > _LISTED or not hasattr(model, "members"):
        return None
    votes = ((str(h), "yes" if h.covers(row[None])[0] else "no") for h in model.members())
    return WorkTable(("hypothesis", "vote"), tuple(votes))


# --- FIND-S -----------------------------------------------------------------------------------------------------------


def derive_trace(model: FindS) -> Work:
    """The hypothesis after each of the first examples, and whether negatives agree."""
    examples, rows = model.examples_, []
    for k, h in islice(enumerate(model._path()[1:]), _EXAMPLES):
        label = "+" if examples.positive[k] else "−"
        instance = _instance(model.space_, examples.positions[k])
        rows.append((int(model.row_names_.first[k]), instance, label, str(h)))
    shown_of = f"The first {_EXAMPLES} of {len(examples.positive)} distinct examples."
    caption = shown_of if len(examples.positive) > _EXAMPLES else ""
    trace = Step(
        "The hypothesis after each example", table=WorkTable(("row", "example", "label", "h"), tuple(rows), caption)
    )
    wrong = int(model.hypothesis_.covers(examples.negatives).sum())
    check = Step(
        f"Negatives that {model.hypothesis_} accepts",
        "consistent = 1 if there are none, else 0",
        "max(0, 1 - accepted)",
        {"accepted": wrong},
        float(model.consistent_),
        ("consistent_",),
    )
    return Work("FIND-S: the most specific hypothesis", [size_step(model.space_), trace, check])


def derive_tests(model: FindS, X: Any) -> Work:
    """For each of the first rows how many constraints are met."""
    rows, h, steps = model._rows(X), model.hypothesis_, []
    for i, row in enumerate(rows[:_ROWS]):
        met = int(((np.array(h.low) <= row) & (row <= np.array(h.high))).sum())
        values = {"met": met, "d": len(row)}
        formula = "answer = +1 if all d constraints are met, else −1"
        steps.append(
            Step(
                f"Row {i + 1} under {h}",
                formula,
                "2 * max(0, met - d + 1) - 1",
                values,
                1.0 if met == len(row) else -1.0,
                ("decide", i),
            )
        )
    notes = [f"The first {_ROWS} of {len(rows)} rows are derived."] if len(rows) > _ROWS else []
    return Work("FIND-S: the predictions", steps, notes)


# --- the others -------------------------------------------------------------------------------------------------------


def derive_list(model: ListThenEliminate) -> Work:
    """How many hypotheses are left after each of the first examples."""
    from novacula.concept.list_then_eliminate import eliminate

    examples = model.examples_
    left = eliminate(model.space_, examples)[1].tolist()
    rows = []
    for k, row in enumerate(examples.positions[:_EXAMPLES]):
        label, name = "+" if examples.positive[k] else "−", int(model.row_names_.first[k])
        rows.append((name, _instance(model.space_, row), label, left[k] - left[k + 1], left[k + 1]))
    table = WorkTable(("row", "example", "label", "crossed out", "left"), tuple(rows))
    count = Step(
        "Hypotheses that are left",
        "|VS| = |H| − crossed out",
        "H - crossed",
        {"H": left[0], "crossed": left[0] - left[-1]},
        left[-1],
        ("version_space_size_",),
        table=table,
    )
    return Work("List-Then-Eliminate: the list", [size_step(model.space_), count])


def derive_memory(model: InstanceMemory) -> Work:
    """How many instances there are, and which share of them was seen."""
    space, seen = model.space_, model.n_recalled
    if space.n_instances > _HUGE:
        note = f"There are about 2^{space.n_instances.bit_length()} instances, and {seen} of them were seen."
        return Work(f"{model.card.name}: what is known", [Step("Instances", "|X| = Π dⱼ", note=note)])
    sizes = space.sizes.tolist()
    values: dict[str, float] = {f"d{j + 1}": d for j, d in enumerate(sizes[:_FACTORS])}
    if len(sizes) > _FACTORS:
        values["rest"] = math.prod(sizes[_FACTORS:])
    count = Step("Instances", "|X| = Π dⱼ", " * ".join(values), values, space.n_instances, ("space_", "n_instances"))
    known = {"seen": seen, "n": space.n_instances}
    share = Step("Instances that are decided", "share = seen / |X|", "seen / n", known, seen / space.n_instances)
    steps = [count, share]
    if hasattr(model, "log2_size_"):
        formula = "log₂ |VS| = |X| − seen, as each instance that was not seen may belong to the concept or not"
        steps.append(Step("Members", formula, "n - seen", known, model.log2_size_, ("log2_size_",)))
    return Work(f"{model.card.name}: what is known", steps)


def derive_recall(model: RoteLearner, X: Any) -> Work:
    """Whether each of the first rows is remembered, and as what."""
    known = model.decide(X)
    steps = [
        Step(
            f"Row {i + 1}",
            "answer = seen as positive − seen as negative",
            "as_positive - as_negative",
            {"as_positive": float(answer > 0), "as_negative": float(answer < 0)},
            float(answer),
            ("decide", i),
            note="" if answer else "It was never seen, or with both labels: predict says the default.",
        )
        for i, answer in enumerate(known[:_ROWS].tolist())
    ]
    notes = [f"The first {_ROWS} of {len(known)} rows are derived."] if len(known) > _ROWS else []
    return Work(f"{model.card.name}: what is recalled", steps, notes)
