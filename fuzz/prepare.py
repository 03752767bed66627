"""`python -m fuzz.prepare TARGET FOLDER`: make once, with kernels as they are, what the workers on a target need."""

from __future__ import annotations

import sys
from pathlib import Path

from fuzz.target import target_class

if __name__ == "__main__":
    name, folder = sys.argv[1:]
    target_class(name).prepare(Path(folder))
