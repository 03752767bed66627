"""The socket and the server: one address, an ordinary end when Ctrl-C or SIGTERM comes."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from typing import Any

from novacula.errors import ParameterError

BACKLOG = 1_024
"""Connections that wait to be taken."""
PATIENCE = 3
"""Seconds in which requests under way may end when the service is stopped."""
SWITCH = 0.0005
"""Seconds after which the thread that answers lets the one that listens go on; five milliseconds otherwise."""


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; a port that is in use, or a host that is not here, is one sentence."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ParameterError(f"host is {host!r}, which is not an address: give one such as 127.0.0.1") from None
    family, kind, protocol, _, address = found[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port whose service has just ended
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise ParameterError(_why_not(host, port, error)) from None
    return listening


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use: stop what uses it, or choose another with --port"
    if error.errno == errno.EACCES:
        return f"port {port} of {host} is for the system: choose one from 1024 on with --port"
    return f"port {port} of {host} cannot be opened: {error.strerror}"


def address_of(listening: socket.socket) -> str:
    """The address of a socket as a client names it."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def is_loopback(listening: socket.socket) -> bool:
    """Whether only this machine can reach it."""
    return ipaddress.ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def known_hosts(listening: socket.socket) -> frozenset[str] | None:
    """What a request may name as its host: of a service on loopback its address and port, of others anything."""
    if not is_loopback(listening):
        return None
    address, port = address_of(listening).removeprefix("http://"), listening.getsockname()[1]
    names = {"127.0.0.1", "localhost", "[::1]", address.rpartition(":")[0]}
    return frozenset({f"{name}:{port}" for name in names} | (names if port == 80 else set()))


def listen(application: Any, listening: socket.socket) -> None:
    """Answer until the process is told to stop; then the signal takes its usual way."""
    import uvicorn

    config = uvicorn.Config(
        application,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=PATIENCE,
    )
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        sys.setswitchinterval(before)
        listening.close()
