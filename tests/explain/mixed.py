"""A small table of all that columns can be: numbers and categories with gaps, and names that have broken pages."""

import numpy as np
import pandas as pd

NASTY = ["[/red]", "$\\bad$", "<script>alert(1)</script>", "=cmd()", "line\nbreak"]


def mixed_frame(n=120, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            NASTY[0]: rng.normal(size=n),
            NASTY[1]: rng.choice(["<b>", "$x_$", "[/i]"], n),
            NASTY[2]: rng.normal(size=n),
            NASTY[3]: rng.choice(["yes", "no"], n),
            NASTY[4]: rng.integers(0, 4, n).astype(float),
        }
    )
    frame.loc[::7, NASTY[0]] = np.nan
    frame.loc[::11, NASTY[1]] = None
    y = 2 * frame[NASTY[2]].to_numpy() + (frame[NASTY[1]] == "<b>") + np.nan_to_num(frame[NASTY[0]]) * frame[NASTY[4]]
    return frame, y.to_numpy() + rng.normal(0, 0.2, n)


def three_classes(y):
    return np.array(["<low>", "[/mid]", "$high$"])[np.digitize(y, [0.0, 1.5])]
