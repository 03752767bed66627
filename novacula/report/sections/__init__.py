"""The sections of the page, one per file: each takes a `Reading` and gives its blocks."""
