"""`python -m novacula`."""

from novacula.cli import main

main()
