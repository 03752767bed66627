"""A request that is not answered."""

from __future__ import annotations

from dataclasses import dataclass

BAD_REQUEST, FORBIDDEN, TOO_SLOW, TOO_LARGE, UNKNOWN_TYPE, UNFIT, BROKEN, BUSY = 400, 403, 408, 413, 415, 422, 500, 503
"""The statuses that the service refuses with."""


class RefusedRequest(Exception):  # noqa: N818  (it is an answer)
    """A status of HTTP, and one sentence that says what is wrong with the request."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


@dataclass(frozen=True)
class ServiceLimits:
    """What one request may ask for: bytes of its body, rows, and seconds until it is answered."""

    body_bytes: int = 8 << 20
    rows: int = 10_000
    seconds: float = 30.0

    @property
    def waiting_rows(self) -> int:
        """Rows of all requests that may wait at a time."""
        return 4 * self.rows
