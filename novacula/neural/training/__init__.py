"""How networks are taught: rows as showings, epochs of mini-batches, and sums over all rows for whole-batch methods."""
