"""Ctrl-C and SIGTERM end a command with its exit code and one sentence, and what was measured stays."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code", "by"), [(signal.SIGINT, 130, "Ctrl-C"), (signal.SIGTERM, 143, "SIGTERM")])
def test_a_study_that_is_stopped_says_so(tmp_path, number, code, by):
    command = [sys.executable, "-m", "novacula", "learn", "wine", "--folds", "20", "--jobs", "1", "--out", tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_a_cell(tmp_path, process)
        process.send_signal(number)
        out, errors = process.communicate(timeout=300)
    assert process.returncode == code
    assert "Traceback" not in errors
    stopped = f"novacula: stopped by {by}; what was measured is kept in {tmp_path}, and the same command goes on"
    assert stopped in errors or (code == 130 and "The study was interrupted" in out)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


def wait_for_a_cell(folder: Path, process: subprocess.Popen) -> None:
    """Until something was measured."""
    while process.poll() is None and not any(path.stat().st_size for path in folder.glob("cells-*.jsonl")):
        time.sleep(0.05)
