"""What may make a study wrong: looked for in the rows, reported in sentences, never fixed in silence."""

from novacula.study.trouble.drift import drift
from novacula.study.trouble.find import find_table_trouble, find_trouble

__all__ = ["drift", "find_table_trouble", "find_trouble"]
