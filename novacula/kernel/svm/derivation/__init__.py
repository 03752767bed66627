"""The works of support vector machines.

machine.py     the quadratic program, its matrix, and the conditions of Karush, Kuhn and Tucker
plane.py       from multipliers to w, b, the margin and the objective
answers.py     decisions, votes and probabilities
iteration.py   one step of sequential minimal optimisation
"""
