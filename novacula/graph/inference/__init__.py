"""Answers of a network: exact, by samples, and for many rows at once."""
