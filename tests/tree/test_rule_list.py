"""Rule lists: the textbook's rules, a plain post-pruning as oracle, order, missing values, words, bad input."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import novacula as nv
from novacula.checks import check_equations, check_work
from novacula.errors import DataError, ParameterError, SchemaError, UnseenCategoryWarning
from novacula.learner.files import load
from novacula.tree import DecisionTreeClassifier, RuleListClassifier
from novacula.tree.attributes import Attribute
from novacula.tree.export import Condition, DecisionRule
from novacula.tree.rule_pruning import Estimates, ExampleColumns, RulePruner

from .plain_rules import lower_accuracy, observed_accuracy, plain_prediction, plain_rule_list

FRACTION = 0.3
TENNIS = [
    "IF Outlook = Overcast THEN Yes (4/4)",
    "IF Humidity = Normal THEN Yes (6/7)",
    "IF Outlook = Rain AND Wind = Weak THEN Yes (3/3)",
    "IF Outlook = Sunny AND Humidity = High THEN No (3/3)",
    "IF Outlook = Rain AND Wind = Strong THEN No (2/2)",
    "OTHERWISE Yes (9/14)",
]


@pytest.fixture(scope="module")
def tennis():
    return nv.datasets.load("play_tennis")


def noisy_frame(seed, n=60, gaps=0.1):
    """Numbers with ties, categories and gaps, and three classes that follow them loosely."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.integers(0, 8, n) / 4,
            "colour": rng.choice(["blue", "green", "red"], n),
            "height": rng.normal(size=n).round(1),
            "shape": rng.choice(["round", "square"], n),
        }
    )
    score = frame["size"] + (frame.colour == "red") + (frame["shape"] == "round") * frame.height
    y = np.array(["a", "b", "c"])[np.digitize(score + rng.normal(0, 0.5, n), [0.7, 1.6])]
    for name in frame:
        frame[name] = frame[name].where(rng.random(n) >= gaps, None if frame[name].dtype.kind == "O" else np.nan)
    return frame, y


# --- the oracle ---------------------------------------------------------------------------------------------------


def plain_tests(conditions):
    """Conditions as plain tests, the ends of an interval one by one."""
    for condition in conditions:
        name = condition.attribute.name
        if condition.attribute.kind != "numeric":
            yield name, frozenset(condition.attribute.labels[code] for code in condition.codes)
        else:
            yield from ((name, condition.low, math.inf),) * (condition.low > -math.inf)
            yield from ((name, -math.inf, condition.high),) * (condition.high < math.inf)


def plain_examples(frame, y, weight):
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return list(zip(rows, y.tolist(), np.broadcast_to(weight, len(y)).tolist(), strict=True))


def assert_as_plain(model, tree, examples, **judged):
    """The model must hold the rules that plain post-pruning makes of the tree."""
    paths = [(tuple(plain_tests(rule.conditions)), rule.label) for rule in tree.to_rules()]
    ordered, default = plain_rule_list(paths, examples, **judged)
    assert [set(plain_tests(rule.conditions)) for rule in model.rules_] == [set(rule.tests) for rule in ordered]
    assert [rule.label for rule in model.rules_] == [rule.label for rule in ordered]
    np.testing.assert_allclose(model.estimate_, [rule.estimate for rule in ordered], atol=1e-12)
    covered = [sum(rule.covered.values()) for rule in ordered]
    np.testing.assert_allclose(model.coverage_, covered)
    right = [rule.covered[rule.label] for rule in ordered]
    np.testing.assert_allclose(model.accuracy_, np.divide(right, covered))
    assert model.default_ == default
    frame = pd.DataFrame([row for row, _, _ in examples])
    expected = [plain_prediction(row, ordered, default) for row, _, _ in examples]
    assert model.predict(frame.infer_objects()).tolist() == expected


@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize(
    "growth",
    [
        {},
        {"nominal": "subset", "missing": "most_common"},
        {"max_depth": 3},
        {"ccp_alpha": 0.05},
        {"merge_leaves": True, "max_leaf_nodes": 9},
        {"release_8": True},
    ],
    ids=str,
)
def test_rules_are_those_of_plain_post_pruning(growth, gaps):
    for seed in range(8):
        frame, y = noisy_frame(seed, gaps=gaps)
        tree = DecisionTreeClassifier(criterion="gain_ratio", **growth).fit(frame, y)
        model = RuleListClassifier(**growth).fit(frame, y)
        assert_as_plain(model, tree, plain_examples(frame, y, 1.0))


def test_weights_count_in_the_estimates():
    for seed in range(8):
        frame, y = noisy_frame(seed)
        weight = np.random.default_rng(seed).choice([0.0, 0.3, 1.0, 2.5], len(y))
        class_weight = {"a": 2.0, "c": 0.4}
        options = {"class_weight": class_weight, "confidence": 0.1}
        tree = DecisionTreeClassifier(criterion="gain_ratio", **options).fit(frame, y, sample_weight=weight)
        model = RuleListClassifier(**options).fit(frame, y, sample_weight=weight)
        both = weight * np.array([class_weight.get(label, 1.0) for label in y])
        judged = {"estimate": lambda n, wrong: lower_accuracy(n, wrong, 0.1)}
        assert_as_plain(model, tree, plain_examples(frame, y, both), **judged)


def test_rows_that_are_given_judge_the_rules():
    for seed in range(8):
        frame, y = noisy_frame(seed)
        others, labels = noisy_frame(seed + 100, n=40)
        model = RuleListClassifier().fit(frame, y, X_val=others, y_val=labels)
        tree = DecisionTreeClassifier(criterion="gain_ratio").fit(frame, y)
        judge = plain_examples(others, labels, 1.0)
        assert_as_plain(model, tree, plain_examples(frame, y, 1.0), judge=judge, estimate=observed_accuracy)
        check_equations(model)


def test_rows_held_out_judge_the_rules_and_do_not_grow_them():
    frame, y = noisy_frame(3, n=100)
    model = RuleListClassifier(validation_fraction=FRACTION, random_state=0).fit(frame, y)
    again = RuleListClassifier(validation_fraction=FRACTION, random_state=0).fit(frame[::-1], y[::-1])
    other = RuleListClassifier(validation_fraction=FRACTION, random_state=1).fit(frame, y)
    assert model.to_text() == again.to_text()
    assert model.to_text() != other.to_text()
    held = sum(int(np.sum(y == label) * FRACTION + 0.5) for label in np.unique(y))
    whole = RuleListClassifier(validation_fraction=FRACTION, random_state=0, min_gain=9.0).fit(frame, y)
    assert whole.coverage_.tolist() == [len(y) - held]
    check_work(model)


# --- the textbook -------------------------------------------------------------------------------------------------


def test_play_tennis(tennis):
    model = RuleListClassifier().fit(tennis)
    assert model.to_text().splitlines() == TENNIS
    assert list(map(str, model.rules_)) == TENNIS[:-1]
    assert model.default_ == "Yes"
    # Without errors the lower limit is 0.25^(1/n).
    np.testing.assert_allclose(model.estimate_[[0, 2, 3, 4]], [0.25 ** (1 / n) for n in (4, 3, 3, 2)])
    assert model.estimate_[1] == pytest.approx(lower_accuracy(7, 1))
    day = pd.DataFrame({"Outlook": ["Sunny"], "Temperature": ["Cool"], "Humidity": ["High"], "Wind": ["Strong"]})
    assert model.predict(day) == ["No"]
    assert model.apply(day).tolist() == [3]


def test_of_equal_estimates_the_larger_cover_is_first_then_the_first_leaf():
    frame = pd.DataFrame({"x": list("aaabbbccdd")})
    y = np.array(list("ppp" + "qqq" + "rr" + "ss"))
    weight = np.array([1.0] * 6 + [1.5] * 2 + [1.0] * 2)
    model = RuleListClassifier().fit(frame, y, sample_weight=weight)
    assert [str(rule) for rule in model.rules_] == [
        "IF x = a THEN p (3/3)",
        "IF x = b THEN q (3/3)",
        "IF x = c THEN r (3/3)",
        "IF x = d THEN s (2/2)",
    ]
    judged = RuleListClassifier().fit(frame, y, sample_weight=weight + (y == "r"), X_val=frame, y_val=y)
    assert judged.estimate_.tolist() == [1.0] * 4
    assert [rule.label for rule in judged.rules_] == ["r", "p", "q", "s"]


def test_a_constant_is_one_rule_that_always_holds():
    model = RuleListClassifier(min_gain=9.0).fit(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), ["no", "yes", "yes"])
    assert model.to_text().splitlines() == ["IF true THEN yes (2/3)", "OTHERWISE yes (2/3)"]
    assert model.predict(pd.DataFrame({"x": [np.nan]})) == ["yes"]


def test_the_default_is_for_examples_that_no_rule_covers():
    """Both leaves rest on rows with a value; the others, all of class c, are left to the default."""
    frame = pd.DataFrame({"x": ["l"] * 6 + ["r"] * 6 + [None] * 3})
    y = np.array(["a"] * 6 + ["b"] * 6 + ["c"] * 3)
    model = RuleListClassifier().fit(frame, y)
    assert model.to_text().splitlines() == ["IF x = l THEN a (6/6)", "IF x = r THEN b (6/6)", "OTHERWISE c (3/3)"]
    assert model.predict(frame).tolist() == y.tolist()


@pytest.mark.parametrize("others", [1.0, 0.0])
def test_a_rule_can_have_hundreds_of_conditions(others):
    """A row of ones against rows with a single zero: each condition keeps one row out, of its own class or not."""
    d = 300
    X = np.ones((d + 1, d)) - np.vstack([np.zeros(d), np.eye(d)])
    target = np.array([0] + [int(others)] * d, np.int32)
    examples = ExampleColumns(X.T.copy(), np.zeros((0, d + 1), np.int32), target, np.array([1000.0] + [1.0] * d), 2)
    conditions = tuple(Condition(Attribute(f"x{j}", "numeric", j), low=0.5) for j in range(d))
    pruned = RulePruner(examples, Estimates(0.25)).prune(DecisionRule(conditions, 0, "all", 1000.0, 1000.0))
    assert pruned.conditions == (conditions if others else ())
    assert pruned.estimate == pytest.approx(0.25 ** (1 / (1000 if others else 1000 + d)))


# --- laws ---------------------------------------------------------------------------------------------------------


def test_neither_the_order_of_rows_nor_repetition_matters():
    for seed in range(6):
        frame, y = noisy_frame(seed)
        weight = np.random.default_rng(seed).integers(0, 4, len(y))
        order = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(y)), weight))
        one = RuleListClassifier().fit(frame, y, sample_weight=weight)
        other = RuleListClassifier().fit(frame.iloc[order], y[order])
        assert one.to_text() == other.to_text()
        np.testing.assert_allclose(one.estimate_, other.estimate_, rtol=1e-12)


@pytest.mark.parametrize("m", [0.0, 2.5, "laplace"])
def test_probabilities_are_m_estimates_of_what_the_rule_covers(m):
    frame, y = noisy_frame(5)
    model = RuleListClassifier(m=m).fit(frame, y)
    strength = 3.0 if m == "laplace" else m
    probability = model.predict_proba(frame)
    codes = frame.astype(object).where(frame.notna(), None).to_dict("records")
    for i, matched in enumerate(model.apply(frame)):
        if matched < len(model.rules_):
            tests = list(plain_tests(model.rules_[matched].conditions))
            covered = [label for row, label in zip(codes, y, strict=True) if _holds(row, tests)]
            counts = np.array([covered.count(label) for label in model.classes_])
            np.testing.assert_allclose(probability[i], (counts + strength / 3) / (counts.sum() + strength))
    assert (model.classes_[probability.argmax(axis=1)] == model.predict(frame)).all()


def _holds(row, tests):
    return all(
        row[test[0]] is not None and (row[test[0]] in test[1] if len(test) == 2 else test[1] < row[test[0]] <= test[2])
        for test in tests
    )


def test_numbers_of_iris():
    X, y = load_iris(return_X_y=True)
    model = RuleListClassifier().fit(X, y)
    tree = DecisionTreeClassifier(criterion="gain_ratio").fit(X, y)
    assert len(model.rules_) <= tree.get_n_leaves()
    assert model.score(X, y) > 0.95


def test_thresholds_are_tested_like_categories():
    frame = pd.DataFrame({"wait": [5.0, 8.0, 20.0, 25.0, 70.0, 80.0] * 3})
    y = np.array(["yes", "yes", "no", "no", "yes", "yes"] * 3)
    model = RuleListClassifier(thresholds={"wait": [10, 30]}).fit(frame, y)
    assert "IF 10 < wait ≤ 30 THEN no (6/6)" in model.to_text().splitlines()
    assert model.predict(pd.DataFrame({"wait": [30.0, 30.5, np.nan]})).tolist() == ["no", "yes", model.default_]


def test_rows_of_files_are_read_into_memory(tmp_path):
    frame, y = noisy_frame(4)
    for part in range(3):
        frame.assign(y=y)[part::3].to_parquet(tmp_path / f"{part}.parquet")
    table = nv.read(str(tmp_path / "*.parquet"), target="y")
    model = RuleListClassifier().fit(table)
    assert model.to_text() == RuleListClassifier().fit(frame, y).to_text()
    assert sorted(model.predict(table)) == sorted(model.predict(frame))


# --- missing values and new categories ----------------------------------------------------------------------------


def test_a_condition_on_a_missing_value_does_not_hold(tennis):
    model = RuleListClassifier().fit(tennis)
    gaps = pd.DataFrame(
        {
            "Outlook": ["Rain", None, None],
            "Temperature": ["Mild", "Mild", None],
            "Humidity": [None, "Normal", None],
            "Wind": ["Strong", None, None],
        }
    )
    assert model.apply(gaps).tolist() == [4, 1, 5]
    assert model.predict(gaps).tolist() == ["No", "Yes", "Yes"]


def test_a_new_category_is_missing_or_refused(tennis):
    new = pd.DataFrame({"Outlook": ["Hail"], "Temperature": ["Mild"], "Humidity": ["High"], "Wind": ["Weak"]})
    model = RuleListClassifier().fit(tennis)
    with pytest.warns(UnseenCategoryWarning, match=r"'Outlook' \(1\)"):
        assert model.predict(new) == ["Yes"]
    with pytest.warns(UnseenCategoryWarning, match=r"'Outlook' \(1\)"):
        assert "Outlook is a category that was not there at fit" in str(model.explain(new)[0])
    with pytest.raises(DataError, match="Hail"):
        RuleListClassifier(unseen="error").fit(tennis).predict(new)


# --- words --------------------------------------------------------------------------------------------------------


def test_explanations_say_what_failed_and_what_held(tennis):
    model = RuleListClassifier().fit(tennis)
    day = pd.DataFrame({"Outlook": ["Rain"], "Temperature": ["Mild"], "Humidity": [None], "Wind": ["Strong"]})
    (explanation,) = model.explain(day)
    assert str(explanation).splitlines() == [
        f"1. {TENNIS[0]}: no: Outlook is Rain",
        f"2. {TENNIS[1]}: no: Humidity is missing",
        f"3. {TENNIS[2]}: no: Wind is Strong",
        f"4. {TENNIS[3]}: no: Outlook is Rain",
        f"5. {TENNIS[4]}: holds",
    ]
    assert explanation.rule == model.rules_[4]
    nothing = day.assign(Outlook=None, Wind=None)
    (explanation,) = model.explain(nothing)
    assert explanation.rule is None
    assert str(explanation).splitlines()[-1] == TENNIS[-1]


def test_explanations_agree_with_predictions():
    frame, y = noisy_frame(1)
    model = RuleListClassifier().fit(frame, y)
    explanations = model.explain(frame)
    labels = [model.default_ if one.rule is None else one.rule.label for one in explanations]
    assert labels == model.predict(frame).tolist()
    assert all(trial.failed is not None for one in explanations for trial in one.trials[:-1])


def test_the_work_shows_each_condition_that_was_dropped(tennis):
    model = RuleListClassifier().fit(tennis)
    text = str(model.work())
    assert "without Outlook = Sunny     7  1  0.665426  dropped" in text
    assert "0.25^(1/4) = 0.707107" in text
    check_work(model)
    check_work(model, tennis)


def test_works_of_odd_counts():
    """Parts of an error, more errors than not, smoothed probabilities and a rule that only the default is left for."""
    for seed in range(4):
        frame, y = noisy_frame(seed)
        weight = np.random.default_rng(seed).choice([0.05, 0.3, 1.0], len(y))
        model = RuleListClassifier(m=1.5).fit(frame, y, sample_weight=weight)
        check_equations(model)
        check_equations(model, frame)


def test_hostile_names_stay_words(tmp_path):
    name, value = "<script>alert(1)</script>", "[/red] $\\bad$\n=cmd"
    frame = pd.DataFrame({name: [value, "b"] * 4, "": [1.0, 2.0] * 4})
    model = RuleListClassifier().fit(frame, [value, "b"] * 4)
    assert len(model.to_text().splitlines()) == len(model.rules_) + 1
    assert "<script" not in model.work().to_html() + model.work(frame).to_html()
    assert all(len(str(one).splitlines()) <= len(model.rules_) + 1 for one in model.explain(frame))
    model.save(tmp_path / "m.nova")
    assert load(tmp_path / "m.nova").to_text() == model.to_text()


# --- the tree that the rules are read off -------------------------------------------------------------------------


def test_parameters_of_the_tree_have_its_defaults():
    tree, rules = DecisionTreeClassifier().get_params(), RuleListClassifier().get_params()
    assert tree.keys() - rules.keys() == {"prune"}
    differing = {name for name in rules if rules[name] != tree[name]}
    assert differing == {"criterion", "validation_fraction"}
    with pytest.raises(TypeError, match="prune"):
        RuleListClassifier(prune="mdl")


def test_a_tree_does_not_prune_to_rules(tennis):
    with pytest.raises(ValueError, match=r"'prune' parameter .* Got 'rules' instead"):
        DecisionTreeClassifier(prune="rules").fit(tennis)


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("criterion", "entropie"),
        ("validation_fraction", 0.0),
        ("validation_fraction", 1.0),
        ("confidence", 0.6),
        ("m", -1.0),
        ("m", "lots"),
        ("max_leaf_nodes", 0),
        ("unseen", "perhaps"),
    ],
)
def test_parameters_out_of_range(tennis, name, value):
    with pytest.raises(ValueError, match=name):
        RuleListClassifier(**{name: value}).fit(tennis)


def test_rules_are_judged_in_one_way_only():
    frame, y = noisy_frame(0)
    with pytest.raises(ParameterError, match="X_val or by a validation_fraction"):
        RuleListClassifier(validation_fraction=0.3).fit(frame, y, X_val=frame, y_val=y)


def test_rows_that_judge_have_known_classes_and_columns():
    frame, y = noisy_frame(0)
    with pytest.raises(DataError, match="'d'"):
        RuleListClassifier().fit(frame, y, X_val=frame, y_val=np.where(y == "a", "d", y))
    with pytest.raises(ValueError, match="feature names"):
        RuleListClassifier().fit(frame, y, X_val=frame.drop(columns="size"), y_val=y)
    with pytest.raises(SchemaError, match="requires y"):
        RuleListClassifier().fit(frame, y, X_val=frame)


def test_no_rows_are_left_to_judge_by():
    with pytest.raises(DataError, match="no validation examples"):
        RuleListClassifier(validation_fraction=0.01).fit([[1.0], [2.0]], ["a", "b"])


def test_infinity_is_refused_with_its_column():
    frame, y = noisy_frame(0)
    with pytest.raises(DataError, match="'size' is infinite"):
        RuleListClassifier().fit(frame.assign(size=np.inf), y)
    model = RuleListClassifier().fit(frame, y)
    for call in (model.predict, model.explain):
        with pytest.raises(DataError, match="'size' is infinite"):
            call(frame.assign(size=np.inf))


def test_a_fit_that_fails_leaves_no_model():
    frame, y = noisy_frame(0)
    model = RuleListClassifier().fit(frame, y)
    with pytest.raises(DataError, match="infinite"):
        model.fit(frame.assign(size=np.inf), y)
    with pytest.raises(NotFittedError):
        model.predict(frame)


def test_weights_that_sum_to_zero():
    with pytest.raises(ValueError, match="sum to zero"):
        RuleListClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[0.0, 0.0])
    with pytest.raises(ParameterError, match="weight of zero"):
        RuleListClassifier(class_weight={"a": 0.0, "b": 0.0}).fit([[1.0], [2.0]], ["a", "b"])


@pytest.mark.parametrize("name", ["rules_", "default_", "estimate_", "coverage_", "accuracy_"])
def test_attributes_need_a_fit(name):
    with pytest.raises(NotFittedError):
        getattr(RuleListClassifier(), name)


@pytest.mark.parametrize("name", ["predict", "predict_proba", "apply", "explain", "work"])
def test_methods_need_a_fit(name):
    with pytest.raises(NotFittedError):
        getattr(RuleListClassifier(), name)([[1.0]])
