"""`import novacula` is light, and its names are there when they are asked for."""

import subprocess
import sys

import pytest

import novacula as nv

HEAVY = "{'numpy', 'pyarrow', 'sklearn', 'numba', 'matplotlib', 'pandas', 'scipy', 'distributed'}"


def loaded(code: str) -> str:
    script = f"import sys\n{code}\nprint(sorted({HEAVY} & set(sys.modules)))"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout


def test_importing_the_package_loads_nothing_heavy():
    assert loaded("import novacula").strip() == "[]"


def test_importing_a_family_does_not_load_numba_or_matplotlib():
    names = loaded("import novacula.bayes, novacula.concept, novacula.linear, novacula.theory, novacula.tree")
    assert "numba" not in names
    assert "matplotlib" not in names


def test_every_public_name_is_there():
    for name in nv.__all__:
        assert getattr(nv, name) is not None
    assert set(nv.__all__) <= set(dir(nv))


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="'nothing'"):
        nv.nothing  # noqa: B018  (the look-up is the test)
