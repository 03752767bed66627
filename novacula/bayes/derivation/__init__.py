"""The works of Bayesian models: where their probabilities come from, with the numbers put in."""
