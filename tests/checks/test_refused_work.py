"""What no derivation can be asked for is refused by every learner alike, in one sentence of ours."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from novacula.checks.samples import sample
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.learner.registry import learners

FEWER = {"perceptron": {"max_iter": 20}, "linear-unit": {"max_iter": 20}}
REFUSED = [
    ({"digits": 0}, "digits"),
    ({"notation": "nobody"}, "notation"),
    ({"iteration": 10**6}, "iteration"),
    ({"iteration": -1}, "iteration"),
    ({"terms": 0}, "terms"),
    ({"detail": "some"}, "detail"),
]


@pytest.mark.parametrize("name", learners())
def test_what_cannot_be_derived_is_refused(name):
    learner = learners()[name](**FEWER.get(name, {}))
    data = sample(learner.card)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit of the sample need not come to an end
        model = clone(learner).fit(data.X, data.target)
    for how, word in REFUSED:
        with pytest.raises(ParameterError, match=word) as refusal:
            model.work(**how)
        assert_sentence(refusal)
    with pytest.raises((DataError, SchemaError)) as refusal:
        model.work(pd.DataFrame({"another": np.arange(3.0), "schema": ["a", "b", "c"]}))
    assert_sentence(refusal)


def assert_sentence(refusal):
    words = str(refusal.value)
    assert words.strip()
    assert "\n" not in words
