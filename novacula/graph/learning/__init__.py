"""Parameters of a network from rows: counts, and EM where cells are empty."""
