"""The works of conjugate models: from the prior's parameters and the data to the posterior's, and to the next datum."""
