"""`python -m fuzz.worker TARGET SEED PREPARED FOLDER FIRST STEP`: tries inputs FIRST, FIRST + STEP, … until it ends.

The first inputs are those that hurt once and were kept in `finds/TARGET`; each further one is made from the target,
the seed and its number alone. An input lies in FOLDER/NUMBER while it is tried, so that what ended this process can be
found there. Each outcome is a line of JSON: number, outcome, and whether it is a find.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import warnings
from itertools import count
from pathlib import Path
from zlib import crc32

import numpy as np

from fuzz import limits
from fuzz.target import FuzzTarget, Misbehaviour, describe, kept_inputs, target_class


def main() -> None:
    """Try inputs until the process is ended."""
    name, seed, prepared, folder, first, step = sys.argv[1:]
    lines = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the library prints must not mix with the outcomes
    target = target_class(name)(Path(prepared))
    warnings.simplefilter("ignore")
    target.ready()
    limits.limit_addresses()
    kept = kept_inputs(name)
    for number in count(int(first), int(step)):
        place = Path(folder) / str(number)
        place.mkdir()
        if number < len(kept):
            path = Path(shutil.copy(kept[number], place))
        else:
            path = target.write(randomness(name, int(seed), number - len(kept)), place)
        outcome, is_find = judged(target, path)
        lines.write(json.dumps([number, outcome, is_find]) + "\n")
        lines.flush()
        if not is_find:
            shutil.rmtree(place)


def randomness(name: str, seed: int, number: int) -> np.random.Generator:
    """The random numbers of one input."""
    return np.random.default_rng([crc32(name.encode()), seed, number])


def judged(target: FuzzTarget, path: Path) -> tuple[str, bool]:
    """How an attempt ended, and whether that is a find."""
    allowed, held = limits.allowed(path), limits.reset_peak()
    limits.start_clock()
    try:
        outcome = target.attempt(path)
    except Misbehaviour as error:
        return str(error), True
    except Exception as error:
        return describe(error), True
    finally:
        limits.stop_clock()
    peak = limits.peak_since(held)
    if peak > allowed:
        return f"held {peak // 2**20} MB for a file of {path.stat().st_size} bytes", True
    return outcome, False


if __name__ == "__main__":
    main()
