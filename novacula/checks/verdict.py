"""How a check says no."""


def require(holds: bool, sentence: str) -> None:
    """Raise an AssertionError with a sentence; no assert statement, since `python -O` must not silence a check."""
    if not holds:
        raise AssertionError(sentence)
