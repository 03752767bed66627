"""The work of what is measured: each function takes a result and derives it with the numbers put in."""
