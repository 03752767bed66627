"""Machine code is loaded only if everything that it was made of is still the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import novacula
from novacula import kernel_cache
from novacula.compiling import kernel_files, kernel_sources
from novacula.errors import KernelCacheWarning
from novacula.kernel_cache import _Files

KERNELS = """
from numba.types import int64

from novacula.compiling import kernel
from small.constants import STEP
from small.loops import helped


@kernel(int64(int64))
def answer(x):
    return helped(x) + STEP
"""
LOOPS = """
from numba import njit


@njit
def helped(x):
    return 10 * x
"""
CALL = """
from small._kernels import answer

result, stats = answer(4), answer.compile().stats
print(result, sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
COMPILED, LOADED = "0 1", "1 0"


@pytest.fixture
def small(tmp_path, monkeypatch):
    """The folder of a package whose kernel is made of three files."""
    folder = tmp_path / "small"
    folder.mkdir()
    for name, source in {"__init__": "", "_kernels": KERNELS, "loops": LOOPS, "constants": "STEP = 2\n"}.items():
        (folder / f"{name}.py").write_text(source)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path(novacula.__file__).parents[1])]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return folder


def start() -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", CALL], stdout=subprocess.PIPE, text=True)


def call() -> str:
    with start() as process:
        return process.communicate(timeout=120)[0].strip()


def cached(folder: Path) -> list[str]:
    """The kinds of files in a cache, which are one index and one file of machine code."""
    return sorted(path.suffix for path in folder.rglob("*.nb?"))


def test_an_edit_in_another_file_is_seen_by_the_next_process(small):
    assert call() == f"42 {COMPILED}"
    assert call() == f"42 {LOADED}"
    (small / "loops.py").write_text(LOOPS.replace("10 * x", "20 * x"))
    assert call() == f"82 {COMPILED}"
    (small / "constants.py").write_text("STEP = 3\n")
    (small / "_kernels.py").write_text("\n\n" + KERNELS)  # a function that moves leaves no files behind
    assert call() == f"83 {COMPILED}"
    assert cached(small) == [".nbc", ".nbi"]


def test_processes_may_compile_at_once(small):
    with start() as one, start() as other:
        assert {process.communicate(timeout=120)[0].split()[0] for process in (one, other)} == {"42"}
    assert call() == f"42 {LOADED}"
    assert cached(small) == [".nbc", ".nbi"]


def test_numba_says_where_caches_are(small, tmp_path, monkeypatch):
    (small / "__pycache__").write_text("a file, so that nothing can be written into a folder of this name")
    assert call() == f"42 {COMPILED}"
    assert cached(tmp_path / "home") == [".nbc", ".nbi"]
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))
    assert call() == f"42 {COMPILED}"
    assert cached(tmp_path / "given") == [".nbc", ".nbi"]


def test_whoever_is_interrupted_leaves_the_cache_as_it_was(tmp_path, monkeypatch):
    before, after = (_Files(str(tmp_path), "name.py311", stamp) for stamp in ("before", "after"))
    before.save("key", "old")
    with monkeypatch.context() as patch:
        patch.setattr(after, "_save_index", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            after.save("key", "new")
    assert (before.load("key"), after.load("key")) == ("old", None)
    after.save("key", "new")
    after.save("of another processor", "other")
    assert [after.load(key) for key in ("key", "of another processor")] == ["new", "other"]
    assert before.load("key") is None
    assert len(list(tmp_path.glob("*.nbc"))) == 2


def test_kernels_are_made_of_few_files():
    """An edit of any of these compiles all kernels anew."""
    root = Path(novacula.__file__).parent
    others = set(kernel_sources("novacula")) - set(kernel_files(root))
    assert {path.relative_to(root).as_posix() for path in others} == {
        "compiling.py",
        "ensemble/boosting/constants.py",
        "ensemble/constants.py",
        "ensemble/forest/constants.py",
        "kernel_cache.py",
        "loops/exponentials.py",
        "loops/gaussians.py",
        "table/chunk.py",
        "tree/constants.py",
    }


NOWHERE = """
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from small._kernels import answer, other

    print(answer(4), other(4), len(caught), caught[0].category.__name__, caught[0].message)
"""
OTHER = """

@kernel(int64(int64))
def other(x):
    return x + 1
"""


def test_without_a_folder_kernels_are_compiled_and_that_is_said_once(small, tmp_path, monkeypatch):
    (small / "_kernels.py").write_text(KERNELS + OTHER)
    (small / "__pycache__").write_text("a file")
    (tmp_path / "file").write_text("in which no folder can be made, not even by root")
    for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "file" / "in"))
    done = subprocess.run([sys.executable, "-c", NOWHERE], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.startswith("42 5 1 KernelCacheWarning compiled kernels cannot be kept")
    assert "set NUMBA_CACHE_DIR to a folder that can be written to" in done.stdout


HARMS = [lambda whole: whole[: len(whole) // 2], lambda whole: b"", lambda whole: whole[:-4] + bytes(4)]


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("harm", HARMS)
def test_damaged_files_are_as_good_as_none(tmp_path, suffix, harm):
    files = _Files(str(tmp_path), "name.py311", "stamp")
    files.save("key", "code")
    [file] = tmp_path.glob(f"*{suffix}")
    file.write_bytes(harm(file.read_bytes()))
    assert files.load("key") is None
    files.save("key", "code")
    assert files.load("key") == "code"


def test_a_process_compiles_again_what_is_damaged(small):
    assert call() == f"42 {COMPILED}"
    for file in small.rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[:-9])
    assert call() == f"42 {COMPILED}"


def test_a_disk_that_is_full_by_now_is_done_without(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernel_cache.FunctionCache, "save_overload", full)
    kernel_cache.warn_once.cache_clear()
    cache = object.__new__(kernel_cache.KernelCache)
    with pytest.warns(KernelCacheWarning, match="set NUMBA_CACHE_DIR"):
        cache.save_overload(None, None)
    cache.save_overload(None, None)  # which says nothing more
