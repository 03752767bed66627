"""The derivation of expectation-maximization."""
