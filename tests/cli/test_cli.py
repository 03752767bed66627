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


def test_learners_and_cards(novacula):
    listed = json.loads(novacula("learners", "--json").out)
    assert {"naive-bayes", "linear-regression", "ridge"} <= {row["learner"] for row in listed}
    assert "inductive bias" in novacula("card", "naive-bayes").out
    assert json.loads(novacula("card", "ridge", "--json").out)["task"] == "regression"
    assert "Decision tree" in novacula("card", "tree").out
    assert "time to answer\tOne test per level" in novacula("card", "tree", "mlp", "svc").out
    assert list(json.loads(novacula("card", "tree", "mlp", "svc", "--json").out)) == [
        "decision-tree-classifier",
        "mlp-classifier",
        "svc",
    ]
    assert "share_\tprobabilities (classes)" in novacula("card", "plurality", "--attributes").out


def test_datasets(novacula):
    assert "play_tennis" in novacula("datasets").out


def test_schema(novacula, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,[/red]\n1,a\n2,b\n")
    assert "[/red]" in novacula("schema", path, "--target", "[/red]").out
    assert json.loads(novacula("schema", path, "--json").out)["n_rows"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("card", "nave-bayes"), "did you mean 'naive-bayes'"),
        (("card", "tree", "nave-bayes"), "did you mean 'naive-bayes'"),
        (("card", "tree", "svc", "--attributes"), "name one"),
        (("schema", "no-such-file.csv"), "no-such-file.csv"),
        (("fly",), "No such command"),
    ],
)
def test_bad_input_is_one_sentence(novacula, arguments, words):
    done = novacula(*arguments)
    assert done.code == 2
    assert words in done.err
    assert "Traceback" not in done.err


def test_an_error_of_a_program_is_a_sentence_and_debug_shows_where():
    done = run("card", "nave-bayes")
    assert done.returncode == 2
    assert done.stderr == "novacula: there is no learner 'nave-bayes'; did you mean 'naive-bayes'?\n"
    assert "Traceback" in run("--debug", "schema", "no-such-file.csv").stderr


def test_warm_compiles_every_kernel(novacula, monkeypatch):
    monkeypatch.setenv("NOVACULA_THREADS", "1")  # in this process, where many of them are loaded already
    assert "novacula.statistics._kernels.contingency" in novacula("warm").out
