import importlib
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from novacula.compiling import CompiledKernel, find_kernels, stamp
from novacula.table import warming

SOURCE = """
from numba.types import float64, int64

from novacula.compiling import kernel


@kernel(int64(int64))
def twice(x):
    "Twice x."
    return 2 * x


@kernel(float64(float64), error_model="numpy")
def inverse(x):
    return 1.0 / x
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    (tmp_path / "doubling.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")

    def anew():
        sys.modules.pop("doubling", None)
        return importlib.import_module("doubling")

    yield anew
    sys.modules.pop("doubling", None)


def test_a_kernel_is_compiled_once_when_it_is_called_and_then_loaded(load):
    first = load()
    assert first.twice._compiled is None
    assert repr(first.twice) == "<kernel doubling.twice>"
    assert (first.twice.name, first.twice.__doc__) == ("doubling.twice", "Twice x.")
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(first.twice, range(4))) == [0, 2, 4, 6]
    assert sum(first.twice.compile().stats.cache_misses.values()) == 1
    assert first.inverse._compiled is None  # its neighbour was not asked for

    again = load()
    assert again.twice(21) == 42
    assert sum(again.twice.compile().stats.cache_hits.values()) == 1


def test_what_is_in_the_cache_is_known_without_compiling_it(load):
    first = load()
    assert not first.twice.is_kept
    first.twice(1)
    again = load()
    assert again.twice.is_kept
    assert again.twice._compiled is None
    assert not again.inverse.is_kept


def test_a_machine_is_cold_until_kernels_were_compiled(monkeypatch, tmp_path):
    names = [kernel.name for kernel in find_kernels()]
    monkeypatch.setattr(CompiledKernel, "is_kept", property(lambda kernel: kernel.name == names[0]))
    (tmp_path / "_kernels.py").write_text("\n@kernel(int64(int64))\ndef twice(x): ...\n@kernel(int64(int64))\n")
    monkeypatch.setattr(warming, "kernel_files", lambda _: [tmp_path / "_kernels.py"])
    assert warming.cold_kernels() == names[1:]
    (tmp_path / "__pycache__").mkdir()
    for name, sources in (("twice", stamp("novacula")), ("thrice", "of an earlier state")):
        (tmp_path / "__pycache__" / f"{name}.nbi").write_text(f"index, {sources}")
    assert warming.cold_kernels() == names[1:]
    (tmp_path / "__pycache__" / "thrice.nbi").write_text(f"index, {stamp('novacula')}")
    assert warming.cold_kernels() == []  # and none was looked at


def test_a_crew_compiles_what_is_named():
    [name] = [kernel.name for kernel in find_kernels() if kernel.name.endswith("statistics._kernels.contingency")]
    warming.compile_kernels([name], 2, show=False)
    [kernel] = [kernel for kernel in find_kernels() if kernel.name == name]
    assert kernel.is_kept


def test_a_kernel_has_one_signature_and_its_options(load):
    module = load()
    assert module.inverse(0.0) == float("inf")  # where Python would raise
    assert len(module.inverse.compile().signatures) == 1
    with pytest.raises(TypeError):
        module.twice("two")


def test_every_kernel_of_the_package_is_found():
    found = [kernel.name for kernel in find_kernels()]
    assert {"novacula.statistics._kernels.contingency", "novacula.tree.growing._kernels.drivers.grow"} <= set(found)
    assert len(found) == len(set(found)) > 40
