"""`novacula serve`: a model file as a service on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from novacula.cli.output import say
from novacula.cli.predict import ModelFile


def serve(
    model: ModelFile,
    host: Annotated[
        str, typer.Option(help="The address to listen at; any but a loopback address can be reached by others.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 takes one that is free.")] = 8000,
    max_rows: Annotated[int, typer.Option(min=1, help="Rows that a request may have.")] = 10_000,
    max_bytes: Annotated[int, typer.Option(min=1, help="Bytes that a request may have.")] = 8 << 20,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds in which a request is answered.")] = 30.0,
) -> None:
    """Answer rows that are sent over HTTP, as JSON or CSV, until Ctrl-C."""
    from novacula.web.listening import address_of, is_loopback, known_hosts, listen, open_socket
    from novacula.web.refusal import ServiceLimits

    with open_socket(host, port) as listening, needing_web():
        from novacula.learner import load
        from novacula.web.description import name_of
        from novacula.web.service import service

        loaded, address = load(model), address_of(listening)
        application = service(loaded, address, ServiceLimits(max_bytes, max_rows, timeout), known_hosts(listening))
        if not is_loopback(listening):
            say(f"Anybody who can reach {address} can ask: the service knows no passwords.")
        say(f"{name_of(loaded)} answers at {address}; Ctrl-C ends it.")
        listen(application, listening)


@contextmanager
def needing_web() -> Iterator[None]:
    """Say of a package that is missing how it is installed."""
    from novacula.errors import ParameterError

    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise ParameterError(f"novacula serve needs {error.name}: pip install 'novacula[web]'") from None
