"""Dates are shown as dates where answers move with them."""

import numpy as np
import pandas as pd

import novacula as nv
from novacula.explain import dependence
from novacula.prepare import PreparedRegressor


def test_a_grid_of_dates_is_read_as_dates():
    days = pd.date_range("2021-01-01", periods=200, freq="D")
    frame = pd.DataFrame({"day": days, "x": np.arange(200) % 7, "y": np.arange(200.0)})
    model = PreparedRegressor().fit(nv.read(frame, "y"))
    result = dependence(model, nv.read(frame, "y"), ["day"], grid=5)
    assert result.axes[0].cell(0) == "2021-01-01"
    assert [row[0] for row in result.table().rows][-1] == "2021-07-19"
    drawn = []
    figure = result.figure()

    def draw(axes):
        figure.draw(axes)
        drawn.append(axes)

    type(figure)(draw, figure.alt).svg()
    assert all(label.get_text().startswith("20") for label in drawn[0].get_xticklabels())
