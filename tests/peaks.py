"""The peaks of memory of a test file's calls, told to the process that asked.

`python peaks.py FILE FUNCTION` takes (name, call) pairs from the function of the file. The process does nothing else,
so nothing else adds to what it measures.
"""

import json
import sys
import tracemalloc
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any


def load(path: str) -> Any:
    """The module of a file, by whatever name the file has."""
    spec = spec_from_file_location(Path(path).stem, path)
    assert spec is not None, path
    assert spec.loader is not None, path
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def peak_of(call: Callable[[], object]) -> int:
    """Bytes that Python holds at most within a call, apart from what the first call makes and keeps."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    path, function = sys.argv[1:]
    json.dump({name: peak_of(call) for name, call in getattr(load(path), function)()}, sys.stdout)
