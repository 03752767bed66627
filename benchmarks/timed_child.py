"""The child of `before_after`: prepares our contender of one race, then times a call for each line that it reads.

It runs by its path, with a checkout on the path of modules, which need not be the one that this file is in.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from pathlib import Path


def main(name: str, size: str, folder: str) -> None:
    """Answer each line of the input with the seconds that one call took."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a workload prints is not an answer
    from benchmarks.workload import named

    race = named(name)
    ours = race.contenders()[0]
    prepared = ours.ready(race.data(json.loads(size), Path(folder)))
    ours.run(prepared)  # compiles, and is not timed
    print("ready", file=answers)
    for _ in sys.stdin:
        gc.collect()
        begin = time.perf_counter()
        ours.run(prepared)
        print(time.perf_counter() - begin, file=answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
