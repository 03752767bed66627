"""Networks as files: the Bayesian interchange format."""
