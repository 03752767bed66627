"""The learner of CONTRIBUTING.md is a learner: its code block runs and passes our checks."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from novacula.checks import learner_checks

ROOT = Path(__file__).parents[2]


def worked_example() -> type:
    block = re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)
    module = sys.modules["contributing"] = ModuleType("contributing")  # where pickle looks for the class
    exec(compile(block.group(1), "CONTRIBUTING.md", "exec"), vars(module))
    return module.PluralityClassifier


# A file needs a learner of the registry, and the example's answers do not depend on X, so unseen values do not matter.
ELSEWHERE = {"file", "nasty_names", "unseen"}
CASES = [pytest.param(check, id=what) for what, check in learner_checks(worked_example()()) if what not in ELSEWHERE]


@pytest.mark.parametrize("check", CASES)
def test_the_worked_example_passes(check):
    check()
