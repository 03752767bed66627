"""Files are there whole or not at all, and what cannot be written is said in a sentence."""

import errno
import json
import os
import stat
import subprocess
import sys
import time

import pytest

from novacula import writing
from novacula.errors import WriteError
from novacula.study.cell import Job, Measurement
from novacula.study.ledger import Ledger
from novacula.writing import replace_file

FULL = "cannot be written, since the disk is full, and what was there before is as it was: make room and try again"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(b"old")
    return path


@pytest.mark.parametrize("where", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(path, monkeypatch, where):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    def pieces():
        yield b"new"
        full()

    if where != "write":
        monkeypatch.setattr(writing.os, where, full)
    with pytest.raises(WriteError, match=FULL):
        replace_file(path, pieces() if where == "write" else b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == ["file.txt"]


LIMITED = """
import resource, signal, sys
import numpy as np
import novacula as nv
from novacula.errors import WriteError

model = nv.neighbors.KNeighborsRegressor().fit(np.ones((3000, 3)), np.ones(3000))
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    model.save(sys.argv[1])
except WriteError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of files")
def test_a_file_that_grows_beyond_a_limit_of_the_system(path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, path], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.startswith(f"{str(path)!r} cannot be written, since it would be too large, and what was there")
    assert done.stdout.count("\n") == 1
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == ["file.txt"]


def test_an_interrupt_leaves_the_old_file(path):
    def pieces():
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace_file(path, pieces())
    assert path.read_bytes() == b"old"
    assert os.listdir(path.parent) == ["file.txt"]


def test_other_errors_name_the_file_that_was_meant(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^there is no folder '.+' to write 'file\.txt' to: make it first$"):
        replace_file(tmp_path / "nowhere" / "file.txt", b"new")
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path, b"new")


def test_what_a_kill_left_behind_is_removed_by_the_next_writing_of_the_same_file(path):
    def killed():
        yield b"half"
        [left.append(place.name) for place in path.parent.iterdir() if place.suffix == ".part"]

    left = []
    replace_file(path, killed())
    [name] = left
    others = path.with_name("other.txt")
    for place, age in ((path.with_name(name), 7200), (path.with_name(name.replace("-", "-0")), 60)):
        place.write_bytes(b"half")
        os.utime(place, (time.time() - age,) * 2)
    replace_file(others, b"new")
    assert path.with_name(name).exists()
    replace_file(path, b"new")
    assert not path.with_name(name).exists()
    assert path.with_name(name.replace("-", "-0")).exists()  # somebody else may be writing it now


@pytest.mark.skipif(sys.platform == "win32", reason="links and permissions of POSIX")
def test_links_and_permissions_stay(path, tmp_path):
    path.chmod(0o600)
    (tmp_path / "link").symlink_to(path)
    replace_file(tmp_path / "link", [b"n", b"ew"])
    assert (tmp_path / "link").is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_folder_is_brought_to_the_disk_after_the_name(path, monkeypatch):
    order = []
    replace, sync = os.replace, os.fsync
    monkeypatch.setattr(writing.os, "replace", lambda *pair: order.append("replace") or replace(*pair))
    monkeypatch.setattr(
        writing.os,
        "fsync",
        lambda d: order.append("folder" if stat.S_ISDIR(os.fstat(d).st_mode) else "file") or sync(d),
    )
    replace_file(path, b"new")
    assert order == ["file", "replace", "folder"]


# --- the ledger of a study --------------------------------------------------------------------------------------------


def test_a_torn_line_does_not_spoil_what_is_written_after_it(tmp_path):
    first, second, third = (Job("tree", 1, fold) for fold in range(3))
    Ledger(tmp_path, "f").enter(first, Measurement(error=0.1))
    ledger = Ledger(tmp_path, "f")
    ledger.enter(second, Measurement(error=0.2))
    [file] = tmp_path.iterdir()
    for torn in (file.read_bytes()[:-9], file.read_bytes()[:-1]):  # the second without its end, or its line end alone
        file.write_bytes(torn)
        ledger = Ledger(tmp_path, "f")
        assert ledger.find(first).error == 0.1
        assert ledger.find(second) is None
        ledger.enter(third, Measurement(error=0.3))
        again = Ledger(tmp_path, "f")
        assert (len(again), again.find(third).error) == (2, 0.3)
        assert all(json.loads(line) for line in file.read_text().splitlines())
        ledger.enter(second, Measurement(error=0.2))


def test_a_full_disk_is_said_of_a_ledger_too(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path, "f")

    class Full:
        def __enter__(self):
            raise OSError(errno.ENOSPC, "No space left on device")

        def __exit__(self, *_):
            pass

    monkeypatch.setattr("pathlib.Path.open", lambda *_, **__: Full())
    with pytest.raises(WriteError, match=FULL):
        ledger.enter(Job("tree", 1, 0), Measurement(error=0.1))
