"""What the derivations of concepts share: the sizes of a space, instances and examples in words, and which example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from novacula.concept.conjunction import Conjunction, Positions, shown
from novacula.concept.space import ConjunctiveSpace
from novacula.errors import ParameterError
from novacula.learner.derivation import TABLE_ROWS, cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, WorkTable
from novacula.mathematics import Equation
from novacula.table.schema import Category
from novacula.words import counted, shortened

if TYPE_CHECKING:
    from novacula.concept.base import ConceptLearner

HUGE = 10**300
"""Beyond, a double does not hold an integer."""
NAMED = 4
"""Values of a domain, or members of a boundary, that a cell names."""
X_SIZE = ("space_", "n_instances")
"""Where the number of instances is kept."""


def attribute_names(space: ConjunctiveSpace) -> list[str]:
    """The attributes as they are written in expressions: short, and each once."""
    names = [shortened(name) for name in space.names]
    return [name if names.count(name) == 1 else f"{j + 1}: {name}" for j, name in enumerate(names)]


def by_attribute(space: ConjunctiveSpace, numbers: Sequence[float]) -> Mapping[str, float]:
    """Numbers by the names of the attributes."""
    return dict(zip(attribute_names(space), map(float, numbers), strict=True))


def size_equation(space: ConjunctiveSpace) -> Equation:
    """How many hypotheses differ in what they mean."""
    intervals = ", or intervals of them where they have an order" if space.ordered else ""
    where = {"c[j]": f"constraints on attribute j: its values and ?{intervals}"}
    values = {"c[j]": by_attribute(space, space.constraint_counts)}
    return Equation("size(H)", "1 + product(c[j] for j in _)", values, ("space_", "size_semantic"), where)


def _domains_note(learner: ConceptLearner) -> str:
    """Where the domains come from, and how to state them if the rows do not have every value."""
    space = learner.space_
    if learner.space is not None:
        return "The domains are those of the space that was given."
    seen = [len(set(column.tolist())) for column in learner.examples_.positions.T]
    if any(n < len(values) for n, values in zip(seen, space.values, strict=True)):
        return "The domains are those that the table states: not every value is in its rows."
    single = [
        f"{name} ({shown(values[0])})"
        for name, values in zip(attribute_names(space), space.values, strict=True)
        if len(values) == 1
    ]
    only = f"; of {', '.join(single)} they have one value only" if single else ""
    name = next(iter(space.names))
    example = f"space=ConjunctiveSpace({{{name!r}: [{', '.join(map(repr, space.values[0][:2]))}, …], …}})"
    return f"The domains are the values that the rows have{only}. If there are more, state them: {example}."


def space_step(learner: ConceptLearner) -> Step:
    """How many instances and hypotheses there are, by the domains of the attributes."""
    space = learner.space_
    meaning = {"H_written": "conjunctions that can be written", "k[j]": "constraints on attribute j, ∅ among them"}
    semantic = size_equation(space)
    sizes = {"d[j]": by_attribute(space, space.sizes.tolist())}
    found = [
        Equation("size(X)", "product(d[j] for j in _)", sizes, X_SIZE, {"d[j]": "values of attribute j"}),
        Equation(
            "size(H_written)",
            "product(k[j] for j in _)",
            {"k[j]": by_attribute(space, [count + 1 for count in space.constraint_counts])},
            ("space_", "size_syntactic"),
            meaning,
        ),
        semantic,
    ]
    if space.size_syntactic > HUGE:
        found = [Equation(e.left, e.right, where=e.where) for e in found]
    rows = [
        (name, _few(values), len(values), count)
        for name, values, count in zip(attribute_names(space), space.values, space.constraint_counts, strict=True)
    ]
    table = cut_table(("attribute ⟦j⟧", "values", "⟦d[j]⟧", "⟦c[j]⟧"), rows, len(rows))
    note = "All conjunctions with an ∅ mean the same: no instance."
    return Step(
        "Hypotheses of the space",
        tuple(found),
        table,
        note=f"{note} {_domains_note(learner)}",
    )


def _few(values: Sequence[Category]) -> str:
    more = f" and {len(values) - NAMED} more" if len(values) > NAMED else ""
    return ", ".join(map(shown, values[:NAMED])) + more


def instance_words(space: ConjunctiveSpace, row: Positions) -> str:
    """An instance as it is printed."""
    return f"⟨{', '.join(shown(value) for value in instance_of(space, row))}⟩"


def instance_of(space: ConjunctiveSpace, row: Positions) -> tuple[Category, ...]:
    """The values of an instance of the space."""
    return tuple(space.values[j][p // 2] for j, p in enumerate(row.tolist()))


def joined(members: Sequence[Conjunction]) -> str:
    """The members of a boundary in words."""
    if not members:
        return "none: nothing fits"
    more = f" and {len(members) - NAMED} more" if len(members) > NAMED else ""
    return ", ".join(map(str, members[:NAMED])) + more


def examples_table(
    learner: ConceptLearner, header: Sequence[str], start: Sequence[str | int], after: Sequence[Sequence[str | int]]
) -> WorkTable:
    """The first examples, each with what follows, under a row of what there is before the first."""
    examples, names = learner.examples_, learner.row_names_
    rows: list[tuple[str | int, ...]] = [("", "", "", *start)]
    for k, follows in enumerate(after):
        sign = "+" if examples.positive[k] else "−"
        rows.append((int(names.first[k]), instance_words(learner.space_, examples.positions[k]), sign, *follows))
    n = len(examples.positive)
    caption = f"The first {len(after)} of {n} distinct examples." if len(after) < n else ""
    return WorkTable(("row", "example", "label", *header), tuple(rows), caption)


def shown_examples(learner: ConceptLearner, options: WorkOptions) -> int:
    """How many examples a table shows."""
    n = len(learner.examples_.positive)
    return n if options.is_full else min(n, TABLE_ROWS)


def example_number(learner: ConceptLearner, iteration: int) -> int:
    """The place of the example that an iteration is about, from 0; a sentence says why where there is none."""
    n = len(learner.examples_.positive)
    if not isinstance(iteration, int) or isinstance(iteration, bool) or not 1 <= iteration <= n:
        raise ParameterError(
            f"iteration is {iteration!r}; the fit took {counted(n, 'distinct example')} one by one, counted from 1"
        )
    return iteration - 1


def example_title(learner: ConceptLearner, k: int) -> str:
    """An example and its label."""
    label = "positive" if learner.examples_.positive[k] else "negative"
    words = instance_words(learner.space_, learner.examples_.positions[k])
    return f"Example {k + 1}, row {learner.row_names_.first[k]}: {words} is {label}"


def accepts(h: Conjunction, row: Positions, left: str, of: tuple[str | int, ...] = ()) -> Equation:
    """Whether a hypothesis accepts a row: each constraint must be met."""
    met = [float(low <= p <= high) for (low, high), p in zip(h.ranges, row.tolist(), strict=True)]
    where = {"m[j]": "1 where the value of attribute j meets its constraint, and 0 where it does not"}
    return Equation(left, "product(m[j] for j in _)", {"m[j]": by_attribute(h.space, met)}, of, where)
