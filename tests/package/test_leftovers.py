"""Whatever a test leaves running is found and named, and what it ends or a shared fixture keeps is not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import multiprocessing, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
import pytest

over = threading.Event()
SLEEP = [sys.executable, "-c", "import sys; sys.stdin.read()"]

def wait(name, work=over.wait):
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread

@pytest.fixture(scope="module")
def shared():
    done = threading.Event()
    thread = wait("shared", done.wait)
    with subprocess.Popen(SLEEP, stdin=subprocess.PIPE) as child:
        yield child
    done.set()
    thread.join()

def test_leaves_a_thread():
    wait("sleeper")

@pytest.fixture
def careless():
    wait("fixture's")
    yield

def test_with_a_fixture_that_leaves_a_thread(careless):
    pass

def test_leaves_a_process(request):
    child = subprocess.Popen(SLEEP, stdin=subprocess.PIPE)
    request.session.addfinalizer(child.wait)
    request.session.addfinalizer(child.stdin.close)

FORKS = multiprocessing.get_context("forkserver")

def test_leaves_a_forked_process(request):
    child = FORKS.Process(target=time.sleep, args=(600,))
    child.start()
    request.session.addfinalizer(child.join)
    request.session.addfinalizer(child.kill)

def test_leaves_no_forked_process():
    child = FORKS.Process(target=int)
    child.start()
    child.join()

def test_leaves_nothing():
    thread = threading.Thread(target=int)
    thread.start()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(int, range(4)))
    subprocess.run([sys.executable, "-c", ""], check=True)

def test_shares(shared):
    pass

def test_shares_and_leaves_a_thread(shared):
    wait("another")

def test_shares_again(shared):
    assert shared.poll() is None

@pytest.fixture(scope="module")
def stays():
    wait("stays")
    yield

def test_last_to_use_a_careless_fixture(stays):
    pass
"""
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """The lines of a run with the checks of the whole house, and no others."""
    folder = tmp_path_factory.mktemp("leftovers")
    shutil.copy(ROOT / "conftest.py", folder)
    (folder / "test_some.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\nleftover_grace = 0.3\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA", "-v", "."]
    wide = {**os.environ, "COLUMNS": "400"}  # so that sentences are not cut short
    done = subprocess.run(command, cwd=folder, env=wide, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout.splitlines()


def lines_of(said, test):
    return [
        line
        for line in said
        if line.startswith(("PASSED", "ERROR", "FAILED")) and line.split("::")[-1].split()[0] == test
    ]


@pytest.mark.parametrize(
    ("test", "left"),
    [
        ("test_leaves_a_thread", "the thread 'sleeper'"),
        ("test_with_a_fixture_that_leaves_a_thread", 'the thread "fixture\'s"'),
        ("test_leaves_a_process", "the process "),
        ("test_leaves_a_forked_process", "the process "),
        ("test_shares_and_leaves_a_thread", "the thread 'another'"),
        ("test_last_to_use_a_careless_fixture", "the thread 'stays'"),
    ],
)
def test_what_a_test_leaves_is_named(said, test, left):
    assert any(line.startswith("ERROR") and f"leaves {left}" in line for line in lines_of(said, test)), said


@pytest.mark.parametrize(
    "test", ["test_leaves_nothing", "test_leaves_no_forked_process", "test_shares", "test_shares_again"]
)
def test_what_ends_or_is_shared_is_not_left(said, test):
    assert [line.split()[0] for line in lines_of(said, test)] == ["PASSED"], said
