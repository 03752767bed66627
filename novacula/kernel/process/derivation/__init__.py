"""The works of learners that keep their rows.

terms.py       kernels, rows of linear equations and sums over rows, which all of them have
posterior.py   a Gaussian process: C, its Cholesky factor, α and the likelihood
search.py      one iteration of the search for its parameters
predictions.py means, deviations and intervals
ridge.py       kernel ridge regression
components.py  kernel principal components
"""
