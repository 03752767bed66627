"""The formats: each is one writer of programs."""
