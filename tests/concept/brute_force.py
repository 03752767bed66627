"""Oracles that share nothing with the library: hypotheses as tuples of words, everything by enumeration."""

import itertools

ANY, NONE = "?", "∅"


def constraints(values, ordered):
    """Every constraint but ∅; the full interval is written as ?."""
    if not ordered:
        return [*values, ANY]
    m = len(values)
    pairs = [(values[a], values[b]) for a in range(m) for b in range(a, m) if b - a < m - 1]
    return [*(a if a == b else (a, b) for a, b in pairs), ANY]


def hypotheses(domains, ordered):
    every = [constraints(values, name in ordered) for name, values in domains.items()]
    return [(NONE,) * len(domains), *itertools.product(*every)]


def meets(constraint, value, values):
    if constraint == ANY:
        return True
    if isinstance(constraint, tuple):
        low, high = map(values.index, constraint)
        return value in values and low <= values.index(value) <= high
    return constraint == value


def accepts(h, x, domains):
    return all(meets(c, v, values) for c, v, values in zip(h, x, domains.values(), strict=True))


def version_space(domains, ordered, rows, labels):
    return [h for h in hypotheses(domains, ordered) if fits(h, rows, labels, domains)]


def fits(h, rows, labels, domains):
    return all(accepts(h, x, domains) == label for x, label in zip(rows, labels, strict=True))


def wider(c, d, values):
    """Whether constraint c lets in all that d does; ? also lets in what is in no domain."""
    if c in (ANY, d):
        return True
    if d == ANY:
        return False
    (a, b), (low, high) = (e if isinstance(e, tuple) else (e, e) for e in (c, d))
    if not isinstance(c, tuple):
        return False
    place = values.index
    return place(a) <= place(low) and place(high) <= place(b)


def more_general(h, g, domains):
    """h ≥ g."""
    if NONE in g:
        return True
    return NONE not in h and all(wider(c, d, v) for c, d, v in zip(h, g, domains.values(), strict=True))


def boundaries(members, domains):
    above = {h: [g for g in members if g != h and more_general(g, h, domains)] for h in members}
    below = {g for higher in above.values() for g in higher}
    return {h for h in members if h not in below}, {h for h in members if not above[h]}


# --- Candidate-Elimination as the textbook has it: nominal attributes, boundaries pruned pairwise ---------------------


def candidate_elimination(domains, rows, labels):
    """S and G after all examples, by Mitchell's table 2.5; None and None once a boundary is empty."""
    d = len(domains)
    specific, general = {(NONE,) * d}, {(ANY,) * d}
    for x, label in zip(rows, labels, strict=True):
        if label:
            general = {g for g in general if accepts(g, x, domains)}
            specific = {generalised(s, x) for s in specific}
            specific = {s for s in specific if any(more_general(g, s, domains) for g in general)}
        else:
            specific = {s for s in specific if not accepts(s, x, domains)}
            new = {h for g in general for h in specialised(g, x, domains)}
            new = {h for h in new if any(more_general(h, s, domains) for s in specific)}
            general = {h for h in new if not any(g != h and more_general(g, h, domains) for g in new)}
        if not specific or not general:
            return set(), set()
    return specific, general


def generalised(s, x):
    return tuple(v if c in (NONE, v) else ANY for c, v in zip(s, x, strict=True))


def specialised(g, x, domains):
    if not accepts(g, x, domains):
        return {g}
    out = set()
    for j, (c, values) in enumerate(zip(g, domains.values(), strict=True)):
        if c == ANY:
            out |= {(*g[:j], v, *g[j + 1 :]) for v in values if v != x[j]}
    return out or {(NONE,) * len(g)}
