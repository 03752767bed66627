"""A reader of programs in JSON, written from docs/export.md and not from the writer."""

from __future__ import annotations

import math
from typing import Any

Numbers = list[float]


def number(value: Any) -> float:
    return math.nan if value is None else float(value)


def numbers(values: Any) -> Numbers:
    return [number(value) for value in values]


def each(function: Any, *parts: Numbers) -> Numbers:
    n = max(map(len, parts))
    return [
        function(*entries) for entries in zip(*(part * n if len(part) == 1 else part for part in parts), strict=True)
    ]


TWO = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
    "max": lambda a, b: max(a, b),
    "min": lambda a, b: min(a, b),
    "<": lambda a, b: float(a < b),
    "<=": lambda a, b: float(a <= b),
    ">": lambda a, b: float(a > b),
    ">=": lambda a, b: float(a >= b),
    "=": lambda a, b: float(a == b),
}


class JsonModel:
    """A program, carried out step by step."""

    def __init__(self, record: dict[str, Any]) -> None:
        assert record["format"] == "novacula program"
        assert record["version"] == 1
        self.record = record

    def answers(self, row: dict[str, Any]) -> tuple[Any, Numbers | None]:
        """The class, or the number, of a row, and probabilities."""
        self.vectors: list[Numbers] = []
        for step in self.record["steps"]:
            self.vectors.append(getattr(self, step["do"].replace(" ", "_"))(step, row))
        answer = self.vectors[self.record["answer"]]
        place, classes = self.record["probabilities"], self.record["classes"]
        chances = None if place is None else self.vectors[place]
        if classes is None:
            return answer[0], None
        return None if math.isnan(answer[0]) else classes[int(answer[0])], chances

    def read(self, step: Any, row: Any) -> Numbers:
        found = []
        for column in (self.record["columns"][place] for place in step["columns"]):
            value = row.get(column["name"])
            if column["kind"] == "category":
                value = column["categories"].index(value) if value in column["categories"] else None
            found.append(number(value))
        return found

    def constant_vector(self, step: Any, row: Any) -> Numbers:
        return numbers(step["values"])

    def pick(self, step: Any, row: Any) -> Numbers:
        return [self.vectors[step["source"]][place] for place in step["places"]]

    def join(self, step: Any, row: Any) -> Numbers:
        return [x for part in step["parts"] for x in self.vectors[part]]

    def lookup(self, step: Any, row: Any) -> Numbers:
        code = self.vectors[step["source"]][step["place"]]
        return numbers(step["table"][-1 if math.isnan(code) else int(code)])

    def map(self, step: Any, row: Any) -> Numbers:
        if step["function"] == "missing":
            return [float(math.isnan(x)) for x in self.vectors[step["source"]]]
        function = {"abs": abs}.get(step["function"]) or getattr(math, step["function"])
        return [x if math.isnan(x) else float(function(x)) for x in self.vectors[step["source"]]]

    def combine(self, step: Any, row: Any) -> Numbers:
        return each(TWO[step["operator"]], self.vectors[step["left"]], self.vectors[step["right"]])

    def choose(self, step: Any, row: Any) -> Numbers:
        parts = (self.vectors[step[name]] for name in ("condition", "yes", "no"))
        return each(lambda a, b, c: b if a == 1.0 else c, *parts)

    def reduce(self, step: Any, row: Any) -> Numbers:
        return [{"sum": sum, "max": max}[step["operator"]](self.vectors[step["source"]])]

    def weighted_sums(self, step: Any, row: Any) -> Numbers:
        x = self.vectors[step["source"]]
        columns = zip(*step["weights"], strict=True)
        return [
            sum(a * b for a, b in zip(x, own, strict=True)) + bias
            for own, bias in zip(columns, step["bias"], strict=True)
        ]

    def trees(self, step: Any, row: Any) -> Numbers:
        answer = numbers(step["constant"])
        for tree in step["trees"]:
            self.go_down(tree, 0, 1.0, self.vectors[step["source"]], answer)
        return answer

    def go_down(self, tree: Any, place: int, share: float, x: Numbers, answer: Numbers) -> None:
        node = tree["nodes"][place]
        if isinstance(node, list):
            for k, value in enumerate(node):
                answer[tree["output"] + k] += share * value
            return
        value, branches = x[node["entry"]], node["branches"]
        if math.isnan(value):
            for branch, part in zip(branches, node["missing"], strict=True):
                if part > 0.0:
                    self.go_down(tree, branch, share * part, x, answer)
        elif "threshold" in node:
            self.go_down(tree, branches[0 if value <= node["threshold"] else 1], share, x, answer)
        else:
            way = next(b for b, codes in zip(branches, node["codes"], strict=True) if value in codes)
            self.go_down(tree, way, share, x, answer)

    def first_rule(self, step: Any, row: Any) -> Numbers:
        x = self.vectors[step["source"]]

        def is_met(demand: Any) -> bool:
            value = x[demand["entry"]]
            if math.isnan(value):
                return False
            if demand["codes"] is not None:
                return value in demand["codes"]
            low, high = demand["low"], demand["high"]
            return (low is None or value > low) and (high is None or value <= high)

        holds = [all(map(is_met, demands)) for demands in step["rules"]]
        return [float([*holds, True].index(True))]

    def distances(self, step: Any, row: Any) -> Numbers:
        found, start = [], step["codes_from"]
        for point in step["points"]:
            gaps = []
            for j, (a, b) in enumerate(zip(self.vectors[step["source"]], numbers(point), strict=True)):
                gap = float(a != b) if start is not None and j >= start else abs(a - b)
                gaps.append(1.0 if start is not None and math.isnan(gap) else gap)
            power = step["power"]
            found.append(max(gaps) if power is None else sum(gap**power for gap in gaps))
        return found

    def nearest(self, step: Any, row: Any) -> Numbers:
        distances, left, taken = self.vectors[step["source"]], step["k"], []
        for distance, place in sorted(zip(distances, range(len(distances)), strict=True)):
            places = min(left, step["weight"][place])
            left -= places
            distance = distance if step["power"] is None else distance ** (1.0 / step["power"])
            if places > 0.0:
                taken.append((distance, places, step["values"][place]))
        if not step["by_distance"]:
            voices = [places for _, places, _ in taken]
        elif any(distance == 0.0 for distance, _, _ in taken):
            voices = [places * (distance == 0.0) for distance, places, _ in taken]
        else:
            voices = [places / distance for distance, places, _ in taken]
        columns = range(len(step["values"][0]))
        votes = [sum(voice * own[t] for voice, (_, _, own) in zip(voices, taken, strict=True)) for t in columns]
        far = [sum(distance * places * own[t] for distance, places, own in taken) for t in columns]
        return [*votes, sum(voices), *far]

    def largest(self, step: Any, row: Any) -> Numbers:
        x = self.vectors[step["source"]]
        return [float(next((i for i, value in enumerate(x) if value >= max(x) * step["slack"]), 0))]
