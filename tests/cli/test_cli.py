"""The command line, run as a program."""

import json
import subprocess
import sys

import pytest

from novacula.version import __version__


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "novacula", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_version_and_help():
    assert run("--version").stdout.strip() == f"novacula {__version__}"
    assert "learners" in run("--help").stdout


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_what_is_heavy_stays_out(option):
    code = (
        "import sys; sys.argv = ['novacula', sys.argv[1]]\n"
        "from novacula.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pyarrow', 'sklearn', 'numba', 'matplotlib', 'pandas', 'scipy'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code, option], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_learners_and_cards():
    listed = json.loads(run("learners", "--json").stdout)
    assert {"naive-bayes", "linear-regression", "ridge"} <= {row["learner"] for row in listed}
    assert "inductive bias" in run("card", "naive-bayes").stdout
    assert json.loads(run("card", "ridge", "--json").stdout)["task"] == "regression"


def test_datasets():
    assert "play_tennis" in run("datasets").stdout


def test_schema(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,[/red]\n1,a\n2,b\n")
    done = run("schema", str(path), "--target", "[/red]")
    assert "[/red]" in done.stdout
    assert json.loads(run("schema", str(path), "--json").stdout)["n_rows"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("card", "nave-bayes"), "did you mean 'naive-bayes'"),
        (("schema", "no-such-file.csv"), "no-such-file.csv"),
        (("fly",), "No such command"),
    ],
)
def test_bad_input_is_one_sentence(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_debug_shows_where():
    assert "Traceback" in run("--debug", "card", "nave-bayes").stderr


def test_warm_compiles_every_module_of_kernels():
    assert "novacula.statistics._kernels" in run("warm").stdout
