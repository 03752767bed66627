"""Loops that the kernels of several rooms share: they are compiled into each of them."""
