"""The sections of the page, one a file: each takes a `Reading` and gives its blocks."""
