"""Derivations hold to the model; files come back; names do no harm; the shared checks hold for every setting."""

import numpy as np
import pytest

from novacula.checks import check_equations, check_work
from novacula.checks.samples import NASTY_NAMES
from novacula.errors import ModelFileError
from novacula.graph.hmm import CategoricalHMM, GaussianHMM, PoissonHMM
from novacula.graph.hmm.figures import lattice_figure, transition_figure
from novacula.learner.files import load, save

from ...shared_checks import checks_of_settings

KINDS = {"categorical-hmm": CategoricalHMM, "gaussian-hmm": GaussianHMM, "poisson-hmm": PoissonHMM}
quiet = pytest.mark.filterwarnings("ignore")


def rows(seed=0, n=60):
    return np.abs(np.random.default_rng(seed).normal(size=(n, 2)).round(1) * 3)


@quiet
@pytest.mark.parametrize(
    "model",
    [
        CategoricalHMM(3, max_iter=5),
        CategoricalHMM(2, m=0.5, transition_mask=[[1, 1], [0, 1]]),
        GaussianHMM(2, max_iter=5),
        GaussianHMM(2, m=2.0, covariance_type="diag"),
        GaussianHMM(3, covariance_type="tied", max_iter=5),
        GaussianHMM(6, covariance_type="spherical", max_iter=5),
        PoissonHMM(2, m=1.0),
        PoissonHMM(8, max_iter=5),
    ],
)
def test_derivations_hold(model):
    x = rows()
    model.fit(x)
    check_equations(model)
    gap = x.copy()
    gap[1] = np.nan
    check_equations(model, [gap[:4], x[3:9]] if model.m else gap)


@quiet
def test_derivations_of_known_states_and_of_given_parameters():
    x = rows()
    check_work(CategoricalHMM().fit(x, np.repeat([0, 1], 30)))
    check_work(GaussianHMM().fit(x, np.repeat(["a", "b"], 30)))
    given = PoissonHMM.from_parameters([1, 0], [[0.5, 0.5], [0, 1]], [1.0, 5.0])
    check_work(given)
    check_work(given, [1.0])
    assert "= 0.5 × 0.9 / (0.5 × 0.9 + 0.5 × 0.2) = 0.818182" in str(
        CategoricalHMM.from_parameters([0.5, 0.5], np.full((2, 2), 0.5), [[0.9, 0.1], [0.2, 0.8]]).work([0])
    )


@quiet
def test_likelihoods_beyond_doubles_are_shown_beside_the_largest():
    model = GaussianHMM.from_parameters([0.5, 0.5], np.full((2, 2), 0.5), [[0.0], [1.0]], [[[1.0]], [[1.0]]])
    work = model.work([0.0, 50.0])
    check_work(model, [0.0, 50.0])
    assert "relative to the largest" in str(work)


@quiet
@pytest.mark.parametrize("kind", [CategoricalHMM, GaussianHMM, PoissonHMM])
def test_hostile_names_do_no_harm(kind):
    states = np.array(NASTY_NAMES[:4])[np.arange(60) % 4]
    model = kind().fit(rows(), states)
    page = model.work().to_html() + model.work(rows()[:4]).to_html()
    assert "<script" not in page
    symbols = CategoricalHMM.from_parameters([1.0], [[1.0]], [[0.25] * 4], symbols=NASTY_NAMES[:4], states=["<b>"])
    assert "<script" not in symbols.work(list(NASTY_NAMES[:4])).to_html()
    check_work(symbols, list(NASTY_NAMES[:4]))


def test_figures_say_what_they_show():
    chain = np.array([[0.9, 0.1], [0.0, 1.0]])
    few = transition_figure(chain, ["$a$", "b"])
    assert few.alt == "A graph of transitions: $a$ → $a$ 0.9; $a$ → b 0.1; b → b 1."
    many = transition_figure(np.full((40, 40), 1 / 40), [f"s{k}" for k in range(40)])
    assert "the first 30 of 40 states" in many.title
    best = np.array([[-1.0, -np.inf], [-2.0, -3.0]])
    path = lattice_figure(best, np.zeros((2, 2), int), np.array([0, 1]), ["a", "b"], ["x", "?"])
    assert path.alt == "The best path: a, b."
    for figure in (few, many, path, transition_figure(np.ones((1, 1)), ["only"])):
        assert figure.svg().startswith("<svg")
        assert figure.png()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    "check",
    checks_of_settings(
        CategoricalHMM(m=0.5),
        GaussianHMM(covariance_type="diag", m=1.0),
        GaussianHMM(covariance_type="tied"),
        GaussianHMM(covariance_type="spherical"),
    ),
)
def test_every_check_holds(check):
    check()


@quiet
@pytest.mark.parametrize("kind", [CategoricalHMM, GaussianHMM, PoissonHMM])
def test_a_file_keeps_an_unsupervised_model(kind, tmp_path):
    x = rows()
    model = kind(2, random_state=1).fit(x)
    save(model, tmp_path / "m.nova", registry=KINDS)
    loaded = load(tmp_path / "m.nova", registry=KINDS)
    np.testing.assert_array_equal(loaded.smooth(x), model.smooth(x))
    assert loaded.states_ == model.states_
    assert str(loaded.work()) == str(model.work())
    model.transition_ = model.transition_[:1]
    save(model, tmp_path / "bad.nova", registry=KINDS, checked=False)
    with pytest.raises(ModelFileError, match=r"its transition_ is an array .* and there are 2 states"):
        load(tmp_path / "bad.nova", registry=KINDS)
