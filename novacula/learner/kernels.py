"""Where the compiled loops are: every `_kernels.py` of the package, found without importing it."""

from __future__ import annotations

from pathlib import Path


def kernel_modules() -> list[str]:
    """The names of the modules that hold kernels; to import one is to compile it, or to load it from the cache.

    >>> "novacula.statistics._kernels" in kernel_modules()
    True
    """
    root = Path(__file__).parents[1]
    found = (path.relative_to(root.parent).with_suffix("") for path in root.rglob("_kernels.py"))
    return sorted(".".join(path.parts) for path in found)
