"""The command line in this process: what a program would print, and its exit code."""

from dataclasses import dataclass

import pytest

from novacula.cli.app import run


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def novacula(monkeypatch, capsys):
    """Call it as the shell would: novacula("learn", "data.csv", …)."""

    def call(*arguments: object) -> Done:
        monkeypatch.setattr("sys.argv", ["novacula", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            run()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(bool(stop.code))
        return Done(code, *capsys.readouterr())

    return call
