"""Rule post-pruning in plain Python, row by row: the oracle of the rule lists.

A rule is a tuple of tests and a class. A test is (column, low, high) for low < x ≤ high, or (column, values); a missing
value passes no test. Where the definition leaves room: of conditions that may go, the first; of rules that are equally
good, the one that covers more, then the first; a rule whose examples are mostly of another class is left out, and
rules after one without tests are never reached.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import NormalDist

NOISE = 1e-9


def lower_accuracy(n, wrong, confidence=0.25):
    """One less C4.5's upper limit of the error rate."""
    return max(1 - (wrong + added_errors(n, wrong, confidence)) / n, 0.0) if n else 0.0


def added_errors(n, wrong, confidence):
    """What C4.5 adds to the errors of a leaf; linear between none and one."""
    none = n * (1 - confidence ** (1 / n))
    if wrong < 1e-6:
        return none
    if wrong < 0.9999:
        return none + wrong * (added_errors(n, 1.0, confidence) - none)
    if wrong + 0.5 >= n:
        return 0.67 * (n - wrong)
    z = NormalDist().inv_cdf(1 - confidence)
    half = wrong + 0.5
    return n * (half + z * z / 2 + z * math.sqrt(half * (1 - half / n) + z * z / 4)) / (n + z * z) - wrong


def observed_accuracy(n, wrong):
    return (n - wrong) / n if n else 0.0


def passes(row, test):
    value = row[test[0]]
    if value is None or value != value:
        return False
    return value in test[1] if len(test) == 2 else test[1] < value <= test[2]


def fulfils(row, tests):
    return all(passes(row, test) for test in tests)


@dataclass(frozen=True)
class PlainRule:
    tests: tuple
    label: object
    estimate: float
    covered: dict


def weights_by_class(examples, tests=()):
    found = defaultdict(float)
    for row, label, weight in examples:
        if weight > 0 and fulfils(row, tests):
            found[label] += weight
    return dict(found)


def plurality(found):
    """The heaviest class; ties go to the first."""
    most = max(found.values())
    return min(label for label, weight in found.items() if weight >= most * (1 - NOISE))


def pruned(tests, label, judge, estimate):
    """The tests that are left, and the estimate."""

    def value(some):
        found = weights_by_class(judge, some)
        return estimate(sum(found.values()), sum(weight for other, weight in found.items() if other != label))

    tests = list(tests)
    while tests:
        without = [value(tests[:i] + tests[i + 1 :]) for i in range(len(tests))]
        if max(without) < value(tests) - NOISE:
            break
        del tests[next(i for i, other in enumerate(without) if other >= max(without) - NOISE)]
    return tuple(tests), value(tests)


def plain_rule_list(paths, examples, judge=None, estimate=lower_accuracy):
    """The ordered rules and the default of paths (tests, class)."""
    rules = {}
    for tests, label in paths:
        left, value = pruned(tests, label, judge or examples, estimate)
        covered = weights_by_class(examples, left)
        if covered and plurality(covered) == label:
            rules.setdefault((frozenset(left), label), PlainRule(left, label, value, covered))
    ordered = sorted(rules.values(), key=lambda r: (-round(r.estimate, 8), -round(sum(r.covered.values()), 8)))
    always = [i for i, rule in enumerate(ordered) if not rule.tests]
    ordered = ordered[: always[0] + 1] if always else ordered
    rest = [e for e in examples if not any(fulfils(e[0], rule.tests) for rule in ordered)]
    return ordered, plurality(weights_by_class(rest) or weights_by_class(examples))


def plain_prediction(row, ordered, default):
    return next((rule.label for rule in ordered if fulfils(row, rule.tests)), default)
