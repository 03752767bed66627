"""Learning row by row: ordered passes, rates, the pocket, and the work of those who use them."""
