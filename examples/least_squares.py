"""Least squares and ridge in five minutes: a line by hand, a table with standard errors, a path of penalties.

Run it as `python examples/least_squares.py [folder]`; figures go into the folder, or into `demo`.
"""

# %% A line through five points, with every number of its derivation
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import novacula as nv
from novacula.linear import LinearRegression, Ridge

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")
folder.mkdir(parents=True, exist_ok=True)

x, y = np.array([[1], [3], [2], [1.5], [4]]), np.array([1, 2.2, 2, 1.9, 3.1])
line = LinearRegression().fit(x, y)
print(line.work())
print(line.work([[2.5]]))

# %% Rents, from a frame with names: what does a square metre cost, and how sure is that?
rng = np.random.default_rng(7)
size, rooms, age = rng.uniform(25, 140, 200), rng.integers(1, 6, 200), rng.uniform(0, 90, 200)
rent = 180 + 11 * size - 1.5 * age + 60 * rng.normal(size=200)
flats = pd.DataFrame({"size": size, "rooms": rooms, "age": age, "rent": rent.round()})
model = LinearRegression().fit(nv.read(flats, target="rent"))
print(f"\n{model.summary()}")
model.summary().figure().savefig(folder / "coefficients.png")

# %% Twelve powers of one column are nearly dependent; a penalty chosen by leaving rows out steadies them
t = np.linspace(-1, 1, 40)
powers = np.vander(t, 13, increasing=True)[:, 1:]
wave = np.sin(3 * t) + 0.2 * rng.normal(size=40)
ridge = Ridge(alpha="loo", alphas=np.logspace(-8, 2, 21)).fit(powers, wave)
path = ridge.path(powers, wave)
path.figure().savefig(folder / "path.png")
free = LinearRegression().fit(powers, wave)
grid = np.linspace(-1, 1, 401)
truth, curves = np.sin(3 * grid), np.vander(grid, 13, increasing=True)[:, 1:]
print(f"\nα = {ridge.alpha_:.2g} has the least leave-one-out error.")
for name, fitted in (("least squares", free), ("ridge", ridge)):
    print(f"{name:13}: error against the truth {np.mean((fitted.predict(curves) - truth) ** 2):.4f}")

# %% Keep it
file = folder / "line.nova"
line.save(file)
print(f"\nThe line is in {file}: it says {nv.load(file).predict([[2.5]])[0]:.4f} at 2.5.")
