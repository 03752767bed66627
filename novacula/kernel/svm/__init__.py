"""Support vector machines: the dual problem, how it is solved, and what is read off its solution."""
