"""The work of Candidate-Elimination: S and G after each example, the size of the version space, what is decided."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from novacula.concept.conjunction import Conjunction
from novacula.concept.derivation.space import (
    HUGE,
    accepts,
    by_attribute,
    example_number,
    example_title,
    examples_table,
    instance_of,
    joined,
    shown_examples,
    space_step,
)
from novacula.concept.lattice import MAX_DRAWN, lattice_figure
from novacula.concept.version_space import VersionSpace
from novacula.errors import DataError
from novacula.learner.derivation import TABLE_ROWS, cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.concept.candidate_elimination import CandidateElimination

LONGEST = 200
"""Members of G up to which that after an example is found."""
NEGATIVES = 3
"""Negatives up to which inclusion and exclusion is written out."""


def derive_version_space(model: CandidateElimination, held: VersionSpace, options: WorkOptions) -> Work:
    """The boundaries after each example, the size, the lattice, and what is decided."""
    steps = [space_step(model), _boundaries(model, options)]
    if options.is_full:
        steps += [_change_step(model, k, options) for k in range(min(len(model.examples_.positive), TABLE_ROWS))]
    notes = [] if model.diagnosis_ is None else [f"The version space is empty: {model.diagnosis_}."]
    if not model.collapsed_:
        steps += [size_step(held, ("version_space_size",)), _decided(model, held)]
        if held.size > MAX_DRAWN:
            notes.append(f"The lattice is left out: {held.size:,} members are too many to draw.")
    return Work("Candidate-Elimination: the version space", steps, notes)


def _after(model: CandidateElimination, n: int) -> VersionSpace:
    part = model.examples_.first(n)
    return VersionSpace.of(model.space_, part.positives, part.negatives)


def _general(held: VersionSpace) -> tuple[Conjunction, ...] | None:
    """G, or None where it is too large to be shown."""
    try:
        return held.most_general(LONGEST)
    except DataError:
        return None


def _boundaries(model: CandidateElimination, options: WorkOptions) -> Step:
    """S and G before the first example, and after each."""

    def words(held: VersionSpace) -> tuple[str, str]:
        general = _general(held)
        return joined(held.specific), f"more than {LONGEST} members" if general is None else joined(general)

    after = [words(_after(model, n + 1)) for n in range(shown_examples(model, options))]
    start = tuple(f"⟦{name}_0⟧ = {{{part}}}" for name, part in zip("SG", words(_after(model, 0)), strict=True))
    return Step("S and G after each example", table=examples_table(model, ("S", "G"), start, after))


# --- the size -----------------------------------------------------------------------------------------------------


def size_step(held: VersionSpace, of: tuple[str | int, ...] = ()) -> Step:
    """The size of a version space as arithmetic, and the lattice where it is small."""
    figure = lattice_figure(list(held.members())) if held.size <= MAX_DRAWN else None
    if held.size > HUGE:
        return Step("Members", note=f"There are about ⟦2**{held.size.bit_length()}⟧ of them.")
    found = tuple(_inclusion_exclusion(held, of) if len(held.hardest) <= NEGATIVES else _by_parts(held, of))
    note = "" if held.box is not None else "The one more is ∅, which accepts nothing."
    return Step("Members", found, figure=figure, note=note)


def _inclusion_exclusion(held: VersionSpace, of: tuple[str | int, ...]) -> Iterator[Equation]:
    """The conjunctions that accept the positives, less those that accept a negative, more those that accept two, …"""
    terms, values = [], {}
    for size in range(len(held.hardest) + 1):
        for chosen in combinations(range(len(held.hardest)), size):
            name = f"n[{', '.join(str(i + 1) for i in chosen)}]" if chosen else "n_0"
            counts = held.n_accepting(held.hardest[list(chosen)])
            choices = f"a[{name[2:-1]}, j]" if chosen else "a[0, j]"
            meaning = "constraints on attribute j that every positive meets"
            if chosen:
                meaning += " and negative" + ("s " if size > 1 else " ") + " and ".join(str(i + 1) for i in chosen)
            yield (
                equation := Equation(
                    name,
                    f"product({choices} for j in _)",
                    {choices: by_attribute(held.space, counts.tolist())},
                    where={choices: meaning},
                )
            )
            values[name] = equation.value
            terms.append((" - " if size % 2 else " + ") + name)
    start = "1 + " if held.box is None else ""
    yield Equation("size(VS)", start + "".join(terms).removeprefix(" + "), values, of, therefore=True)


def _by_parts(held: VersionSpace, of: tuple[str | int, ...]) -> Iterator[Equation]:
    """The members by what they make of one constraint, each number counted on its own."""
    ways, rests = zip(*held.by_one_constraint(), strict=True)
    where = {
        "w[i]": "constraints of one attribute that let the same negatives in",
        "n[i]": "constraints of the others that keep those negatives out",
    }
    start = "1 + " if held.box is None else ""
    values = {"w[i]": [float(way) for way in ways], "n[i]": [float(rest) for rest in rests]}
    yield Equation("size(VS)", f"{start}sum(w[i] * n[i] for i in _)", values, of, where, therefore=True)


def _decided(model: CandidateElimination, held: VersionSpace) -> Step:
    """Which share of all instances each learner is certain of: the stronger the bias, the larger."""
    n, seen, title = model.space_.n_instances, len(model.examples_.positive), "Instances that are decided"
    if n > HUGE:
        return Step(title, note=f"There are about ⟦2**{n.bit_length()}⟧ instances.")
    try:
        yes, no = held.n_decided()
    except DataError as error:
        return Step(title, note=f"The share is not given: {error}.")
    rows = (
        ("rote learner", seen, seen / n),
        ("Candidate-Elimination", yes + no, (yes + no) / n),
        ("FIND-S", n, 1.0),
    )
    table = WorkTable(("learner, by strength of bias", "instances", "share"), rows)
    values = {"n_every": yes, "n_none": no, "size(X)": n}
    where = {"n_every": "instances that every member accepts", "n_none": "instances that none accepts"}
    return Step(title, Equation("share", "(n_every + n_none) / size(X)", values, where=where), table)


# --- one example --------------------------------------------------------------------------------------------------


def derive_boundaries(model: CandidateElimination, iteration: int, options: WorkOptions) -> Work:
    """What one example removes from S and G, and what comes in its place."""
    k = example_number(model, iteration)
    after = _after(model, k + 1)
    row, label = model.examples_.positions[k], ("examples_", "positive", k)
    steps = [_change_step(model, k, options)]
    if after.specific:
        agrees = accepts(after.specific[0], row, f"s__{k + 1}(x[{k + 1}])", label)
        steps.append(Step(f"{after.specific[0]}, the member of S, agrees with the example", agrees))
    is_last = iteration == len(model.examples_.positive)
    if not after.is_empty:
        steps.append(size_step(after, ("version_space_size",) if is_last else ()))
    else:
        empty = Equation("size(VS)", "n", {"n": after.size}, ("version_space_size",), therefore=True)
        steps.append(Step("No conjunction fits", empty))
    return Work(f"Candidate-Elimination: example {iteration}", steps)


def _change_step(model: CandidateElimination, k: int, options: WorkOptions) -> Step:
    """What an example makes of each member of the boundaries, and of each that is tried in its place."""
    x = instance_of(model.space_, model.examples_.positions[k])
    rows = list(_changes(_after(model, k), _after(model, k + 1), x, bool(model.examples_.positive[k])))
    header = ("boundary", "hypothesis", "what becomes of it")
    most = len(rows) if options.is_full else TABLE_ROWS
    return Step(example_title(model, k), table=cut_table(header, rows, len(rows), most=most))


def _changes(
    before: VersionSpace, after: VersionSpace, x: tuple[object, ...], is_positive: bool
) -> Iterator[tuple[Cell, ...]]:
    """Each member of the boundaries, and each that is tried in its place, with what becomes of it and why."""
    old, new = _general(before), _general(after)
    for s in before.specific:
        if s(x) == is_positive:
            yield "S", str(s), f"stays: it {'accepts' if is_positive else 'rejects'} the example"
        elif is_positive:
            yield "S", str(s), "goes: it rejects the example"
            wider = s | x
            fits = wider in after.specific
            yield "S", str(wider), "comes: the least that accepts it" if fits else "is not taken: it accepts a negative"
        else:
            yield "S", str(s), "goes: it accepts the example"
    if old is None or new is None:
        yield "G", f"more than {LONGEST} members", ""
        return
    for g in old:
        if g(x) == is_positive:
            yield "G", str(g), f"stays: it {'accepts' if is_positive else 'rejects'} the example"
        elif is_positive:
            yield "G", str(g), "goes: it rejects the example"
        else:
            yield "G", str(g), "goes: it accepts the example"
            yield from (("G", str(h), _fate(h, after, new)) for h in g.specializations(x))


def _fate(h: Conjunction, after: VersionSpace, general: tuple[Conjunction, ...]) -> str:
    """Whether a minimal specialisation is taken into G, or why not."""
    if h in general:
        return "comes: a least specialisation that rejects it"
    if not any(h >= s for s in after.specific):
        return "is not taken: no member of S is more specific"
    above = next((g for g in general if g > h), None)
    return f"is not taken: more specific than {above}" if above is not None else "is not taken: it accepts a negative"
