"""Every work, of learners, functions and records, is LaTeX that a real pdflatex compiles, with amsmath alone."""

import os
import shutil
import subprocess
import warnings

import numpy as np
import pytest
from calculations import COMMANDS, IN_PYTHON, ITERATED, calculated
from sklearn.base import clone

from novacula.checks.samples import sample
from novacula.cli.calculating import ONLY_IN_PYTHON
from novacula.learner.registry import learners

REQUIRED = os.environ.get("NOVACULA_LATEX_REQUIRED") == "1"
"""Whether a missing pdflatex is a failure rather than a reason to skip."""
PREAMBLE = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n"


@pytest.fixture(scope="module")
def pdflatex():
    found = shutil.which("pdflatex")
    if found is None and not REQUIRED:
        pytest.skip("pdflatex is not installed; NOVACULA_LATEX_REQUIRED=1 makes that a failure")
    assert found, "NOVACULA_LATEX_REQUIRED is 1, but pdflatex is not installed"
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", learners())
def test_the_latex_of_every_work_compiles(name, pdflatex, tmp_path):
    learner = learners()[name]()
    data = sample(learner.card)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit of the sample need not come to an end
        model = clone(learner).fit(data.X, data.target)
    compiled([model.work(), model.work(data.take(np.arange(3)).X)], pdflatex, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_the_latex_of_every_calculation_compiles(name, pdflatex, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result, rows = calculated(name)
    compiled([result.work(rows), result.work(rows, detail="full")], pdflatex, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ONLY_IN_PYTHON)
def test_the_latex_of_what_only_python_can_call_compiles(name, pdflatex, tmp_path):
    compiled([result.work() for result in IN_PYTHON[name]()], pdflatex, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ITERATED)
def test_the_latex_of_an_iteration_compiles(name, pdflatex, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ITERATED[name]()
    compiled([model.work(iteration=1)], pdflatex, tmp_path)


def compiled(works, pdflatex, folder):
    """Works as one document, which pdflatex must compile."""
    document = PREAMBLE + "\n\\newpage\n".join(work.to_latex() for work in works) + "\\end{document}\n"
    (folder / "work.tex").write_text(document, encoding="ascii")
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "work.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, "\n".join(done.stdout.split("\n")[-40:])
    assert (folder / "work.pdf").stat().st_size > 1000
