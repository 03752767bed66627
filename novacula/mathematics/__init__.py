"""Mathematics as data: equations that are written once, evaluated, and set as text, LaTeX and MathML.

tree.py       what an expression is made of
reading.py    from text to a tree: the language
measuring.py  what a tree comes to
notation.py, latex.py, mathml.py   how the parts look
layout.py     a tree in a notation, with names or with numbers
equation.py   two sides, values, and what must be true of them
"""

from novacula.mathematics.equation import Equation
from novacula.mathematics.reading import parse, word

__all__ = ["Equation", "parse", "word"]
