"""Trouble that was planted is found and named; clean tables raise no alarm."""

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.checks.samples import NASTY_NAMES
from novacula.study.asking import ask
from novacula.study.trouble import find_table_trouble, find_trouble


def question(frame, target="y", folds=5, **more):
    settings = {"test": 0.2, "metric": None, "task": None, "seed": 0, **more}
    table = frame if isinstance(frame, nv.Table) else nv.read(frame, target=target, progress=False)
    return ask(table, folds=folds, **settings)


def findings_of(frame, kind, **more):
    return [finding for finding in find_trouble(question(frame, **more)) if finding.kind == kind]


def grave(findings):
    return [finding for finding in findings if finding.gravity == "warning"]


def plain(n=400, seed=0, classes=("no", "yes")):
    """Columns that hold something of the target, and no trouble."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": x,
            "count": rng.poisson(6, n),
            "income": rng.integers(1_000, 90_000, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "y": np.array(classes, object)[(x + rng.normal(size=n) > 0).astype(int)],
        }
    )


# --- clean tables --------------------------------------------------------------------------------------------


def random_table(seed):
    """A table as they come: kinds, gaps, ties, tails and a noisy target, with nothing wrong in it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 500))
    makers = [
        lambda: rng.normal(rng.normal(), rng.lognormal(), n),
        lambda: rng.lognormal(1.0, 1.0, n),
        lambda: rng.normal(size=n).round(1),
        lambda: rng.uniform(0, 100, n).round(2),
        lambda: rng.poisson(rng.uniform(0.3, 20), n),
        lambda: rng.integers(0, int(rng.choice([2, 5, 100, 100_000])), n),
        lambda: rng.choice(list("abcdefghijkl")[: rng.integers(2, 12)], n),
        lambda: rng.standard_t(2, n),
    ]
    columns = {f"c{j}": pd.Series(makers[rng.integers(len(makers))]()) for j in range(rng.integers(1, 12))}
    for name in columns:
        if rng.random() < 0.3:
            columns[name] = columns[name].mask(rng.random(n) < rng.uniform(0, 0.3))
    frame = pd.DataFrame(columns)
    signal = sum(frame[name].rank().fillna(0.0) for name in list(columns)[:2]) / n
    noisy = signal + rng.normal(0, 0.5, n)
    if rng.random() < 0.5:
        return frame.assign(y=noisy)
    cuts = np.sort(rng.uniform(noisy.min(), noisy.max(), rng.integers(1, 4)))
    return frame.assign(y=np.array(list("pqrst"), object)[np.searchsorted(cuts, noisy)])


def test_two_hundred_clean_tables_raise_no_alarm():
    alarms = {}
    for seed in range(200):
        table = nv.read(random_table(seed), target="y", progress=False)
        if table.layout["y"].kind == "categorical" and len(table.layout["y"].categories) < 2:
            continue
        raised = grave(find_trouble(question(table)))
        if raised:
            alarms[seed] = [finding.sentence for finding in raised]
    assert not alarms


@pytest.mark.parametrize("name", ["play_tennis", "restaurant", "iris", "wine", "breast_cancer", "diabetes", "digits"])
def test_known_tables_raise_no_alarm(name):
    assert not grave(find_trouble(question(nv.datasets.load(name))))


def test_a_clean_table_has_nothing_to_tell():
    assert [finding.kind for finding in find_trouble(question(plain()))] == []


def test_what_was_decided_comes_first():
    frame = plain().assign(y=lambda f: f["y"].mask(f.index < 5, "rare"), id=range(400))
    findings = find_trouble(question(frame))
    assert [finding.kind for finding in findings][:2] == ["decided", "identifier"]
    assert "folds without a row of the class 'rare', which has 4 rows" in findings[0].sentence


# --- identifiers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.arange(400), "whole numbers from 1 to 398 without repetition"),  # as the training rows have them
        (np.random.default_rng(0).permutation(900)[:400], "without repetition"),
        (np.cumsum(np.random.default_rng(0).integers(1, 10**6, 400)), "that rise from row to row"),
        (np.random.default_rng(0).integers(10**9, 10**10, 400), "numbers of 10 digits"),
        (np.r_[np.arange(390), np.arange(10)], "with hardly a repetition"),
        ([f"row-{i}" for i in range(400)], "a value of its own for each row"),
        ([f"row-{min(i, 390)}" for i in range(400)], "% of its values distinct"),
    ],
)
def test_identifiers(values, words):
    (finding,) = findings_of(plain().assign(id=values), "identifier")
    assert finding.columns == ("id",)
    assert finding.gravity == "note"
    assert "Column 'id' looks like an identifier" in finding.sentence
    assert words in finding.sentence
    assert "it is left out; keep= or --keep takes it in" in finding.sentence
    findings = find_trouble(question(nv.read(plain().assign(id=values), "y")), ["id"])
    kept = [one for one in findings if one.kind in ("identifier", "kept")]
    assert [(one.kind, one.gravity) for one in kept] == [("kept", "warning")]


def test_texts_are_no_identifiers_but_single_words_are():
    rng = np.random.default_rng(0)
    words = ["lorem", "ipsum", "dolor", "sit", "amet", "elit"]
    texts = [" ".join(rng.choice(words, 8)) + f" {i}" for i in range(400)]
    assert not findings_of(plain().assign(note=texts), "identifier")
    table = nv.read(plain().assign(code=[f"k{i}" for i in range(400)]), target="y", types={"code": "text"})
    assert [f.columns for f in find_trouble(question(table)) if f.kind == "identifier"] == [("code",)]


def test_measurements_are_no_identifiers():
    rng = np.random.default_rng(0)
    frame = plain().assign(salary=rng.integers(20_000, 10**6, 400), weight=rng.normal(70, 9, 400).round(3))
    assert not findings_of(frame, "identifier")


def test_words_that_seldom_come_again():
    rng = np.random.default_rng(0)
    frame = plain().assign(ticket=[f"t{i}" for i in rng.integers(0, 350, 400)])
    (finding,) = findings_of(frame, "many-categories")
    assert finding.columns == ("ticket",)
    assert finding.gravity == "note"


@pytest.mark.parametrize(
    ("hours", "kinds"),
    [
        (24 * np.arange(400), ["ordered"]),
        (np.arange(400) // 3, ["ordered"]),
        (-np.arange(400), ["ordered"]),
        (np.random.default_rng(0).permutation(400), []),
    ],
    ids=["days", "ties", "newest first", "no order"],
)
def test_rows_in_the_order_of_time(hours, kinds):
    """A time is no identifier, even if every row has its own."""
    when = pd.Timestamp("2020-02-01") + pd.to_timedelta(hours, "h")
    table = nv.read(plain().assign(when=when), "y")
    found = [finding for finding in find_trouble(question(table)) if finding.columns == ("when",)]
    assert [finding.kind for finding in found] == kinds
    words = "random folds let learners see the future"
    assert all(finding.gravity == "warning" and words in finding.sentence for finding in found)


def test_rows_that_are_sorted_by_a_number():
    (finding,) = findings_of(plain().assign(time=np.linspace(0.0, 7.3, 400)), "ordered")
    assert finding.columns == ("time",)
    assert "the future" in finding.sentence


# --- the target given away -----------------------------------------------------------------------------------


@pytest.mark.parametrize("codes", [{"no": 0, "yes": 1}, {"no": "Paid", "yes": "Lost"}, {"no": 7.5, "yes": np.nan}])
def test_the_target_in_other_words(codes):
    frame = plain().assign(copy=lambda f: f["y"].map(codes))
    (finding,) = findings_of(frame, "target-copy")
    assert finding.columns == ("copy",)
    assert finding.gravity == "warning"
    assert "'copy' is the target 'y' in other words" in finding.sentence


def test_a_copy_in_a_small_table_is_reported_if_chance_hardly_makes_it():
    small = plain(30).drop(columns=["income"])
    assert [f.columns for f in findings_of(small.assign(copy=small["y"].str.upper()), "target-copy")] == [("copy",)]
    tiny = pd.DataFrame({"a": list("nnyyny"), "b": [1.0, 2.0, 2.0, 1.0, 1.0, 2.0], "y": list("nnyyny")})
    assert not findings_of(tiny, "target-copy", folds=2, test=0.0)


@pytest.mark.parametrize("task", ["threshold", "categories", "noise"])
def test_a_column_that_is_known_after_the_target(task):
    frame, rng = plain(), np.random.default_rng(1)
    yes = (frame["y"] == "yes").to_numpy()
    if task == "threshold":
        leak = pd.Series(np.where(yes, rng.uniform(5, 90, 400), rng.uniform(-80, 4, 400)))
    elif task == "categories":
        leak = pd.Series(np.where(yes, rng.choice(["a", "b", "c"], 400), rng.choice(["d", "e"], 400)))
    else:
        leak = pd.Series(np.where(yes ^ (np.arange(400) == 17), rng.choice(["a", "b"], 400), "d"))
    (finding,) = findings_of(frame.assign(leak=leak), "giveaway")
    assert finding.columns == ("leak",)
    assert finding.gravity == "warning"
    assert "make sure that it is known before" in finding.sentence


def test_one_value_a_row_gives_nothing_away():
    """A fit to the same rows would be perfect; rows that were left out show that nothing is known."""
    frame = plain().assign(name=[f"n{i}" for i in range(400)], number=np.random.default_rng(0).normal(size=400))
    assert not findings_of(frame, "giveaway")


def test_an_uneven_target_is_not_given_away_by_everything():
    frame = plain(1000).assign(y=np.where(np.arange(1000) % 250 == 0, "fraud", "fine"))
    assert not findings_of(frame, "giveaway")


def test_a_column_that_is_good_but_not_perfect_is_a_note():
    frame = plain(2000)
    wrong = np.random.default_rng(2).random(2000) < 0.014
    (finding,) = findings_of(frame.assign(hint=np.where((frame["y"] == "yes") ^ wrong, "a", "b")), "giveaway")
    assert finding.gravity == "note"
    assert "98." in finding.sentence


@pytest.mark.parametrize("leak", [lambda y: 3 * y + 7, np.exp, lambda y: -(y**3), lambda y: y + 1e-3 * np.sin(99 * y)])
def test_a_number_given_away_by_another(leak):
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    frame = pd.DataFrame(
        {"x": y + rng.normal(size=300), "near": y + 0.2 * rng.normal(size=300), "leak": leak(y), "y": y}
    )
    findings = [f for f in find_trouble(question(frame)) if f.kind in ("giveaway", "target-copy")]
    assert [f.columns for f in findings] == [("leak",)]
    assert findings[0].gravity == "warning"


def test_gaps_that_tell_the_target():
    frame, rng = plain(), np.random.default_rng(0)
    yes = frame["y"] == "yes"
    held = rng.normal(size=400)
    some = pd.Series(held).mask(yes & (rng.random(400) < 0.6))
    all_of_them = pd.Series(held).mask(yes)
    (note,) = findings_of(frame.assign(some=some), "telling-gap")
    (warning,) = findings_of(frame.assign(outcome=all_of_them), "telling-gap")
    assert (note.columns, note.gravity) == (("some",), "note")
    assert (warning.columns, warning.gravity) == (("outcome",), "warning")
    assert "Cramér's V is 1.00" in warning.sentence
    assert not findings_of(frame.assign(random=pd.Series(held).mask(rng.random(400) < 0.4)), "telling-gap")


def test_gaps_that_tell_a_number():
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    frame = pd.DataFrame({"x": pd.Series(rng.normal(size=300)).mask(y > 0.3), "y": y})
    (finding,) = findings_of(frame, "telling-gap")
    assert finding.columns == ("x",)


# --- rows twice ----------------------------------------------------------------------------------------------


def test_copies_among_training_rows_and_in_the_test():
    frame = plain()
    doubled = pd.concat([frame, frame.iloc[:100]], ignore_index=True)
    (inside,) = findings_of(doubled, "duplicates")
    (across,) = findings_of(doubled, "test-duplicates")
    assert inside.gravity == across.gravity == "warning"
    q = question(doubled)
    rows = [tuple(row) for row in q.table.to_pandas().drop(columns="y").itertuples(index=False)]
    repeats = len(rows) - len(set(rows))
    assert inside.sentence.startswith(f"{repeats} rows of {len(rows)} ")
    test = [tuple(row) for row in q.test.X.to_pandas().drop(columns="y").itertuples(index=False)]
    shared = sum(row in set(rows) for row in test)
    assert across.sentence.startswith(f"{shared} rows of the test's {len(test)} ")
    assert f"{shared} of them with the same target" in across.sentence


def test_an_identifier_hides_no_copies():
    frame = plain()
    doubled = pd.concat([frame, frame.iloc[:100]], ignore_index=True).assign(id=range(500))
    assert findings_of(doubled, "duplicates")


def test_few_coarse_columns_meet_by_chance():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (500, 4)).astype(str), columns=list("abcd")).assign(
        y=rng.choice(["p", "q"], 500)
    )
    assert not findings_of(frame, "duplicates")
    assert not findings_of(frame, "test-duplicates")


def test_copies_of_whole_numbers_are_a_note():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 90, (300, 6)), columns=list("abcdef")).assign(y=rng.choice(["p", "q"], 300))
    (finding,) = findings_of(pd.concat([frame, frame.iloc[:60]], ignore_index=True), "duplicates")
    assert finding.gravity == "note"


def test_rows_that_disagree_and_the_least_error():
    """Of 10 equal rows 7 say yes: whoever sees them alike errs in 3."""
    frame = pd.DataFrame({"a": ["u"] * 10 + ["v"] * 10, "y": ["yes"] * 7 + ["no"] * 3 + ["no"] * 10})
    (finding,) = findings_of(frame, "contradictions", test=0.0)
    assert finding.sentence.startswith("10 rows agree in every column")
    assert "no learner can have an error rate below 15%" in finding.sentence


def test_numbers_that_disagree():
    frame = pd.DataFrame({"a": ["u"] * 4 + ["v"] * 4, "y": [0.5, 1.5, 0.5, 1.5, 7.25, 7.25, 7.25, 7.25]})
    (finding,) = findings_of(frame, "contradictions", test=0.0, task="regression")
    assert "a mean squared error below 0.125," in finding.sentence  # half of the rows have a variance of 0.25


# --- target --------------------------------------------------------------------------------------------------


def test_uneven_classes():
    frame = plain(1000).assign(y=np.where(np.arange(1000) % 50 == 0, "fraud", "fine"))
    (finding,) = findings_of(frame, "uneven-classes")
    assert "The class 'fraud' of 'y' has 2.0% of the rows" in finding.sentence
    assert "always answering 'fine' has an error rate of only 2.0%" in finding.sentence
    assert "metric='balanced', 'auc' or 'log_loss'" in finding.sentence
    (ranked,) = findings_of(frame, "uneven-classes", metric="auc")
    assert ranked.sentence.endswith("has an error rate of only 2.0%.")
    assert not findings_of(plain(), "uneven-classes")


def test_classes_of_a_few_rows():
    frame = plain().assign(y=lambda f: f["y"].mask(f.index < 3, "rare"))
    (finding,) = findings_of(frame, "rare-classes")
    assert "'rare' has fewer than 5 rows" in finding.sentence


def test_a_target_with_a_long_tail():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=400), "y": rng.lognormal(0, 2, 400)})
    (finding,) = findings_of(frame, "skewed-target")
    assert finding.columns == ("y",)
    assert not findings_of(frame.assign(y=rng.normal(50, 5, 400)), "skewed-target")


def test_categories_that_a_fold_lacks():
    town = [f"town {i}" for i in range(40)] + ["city"] * 360
    (finding,) = findings_of(plain().assign(town=np.random.default_rng(0).permutation(town)), "rare-categories")
    assert finding.columns == ("town",)


# --- columns -------------------------------------------------------------------------------------------------


def test_columns_that_tell_nothing():
    frame = plain().assign(
        empty=np.nan, same="a", one=3.0, gappy=pd.Series(np.arange(400) + 0.5).mask(np.arange(400) > 99)
    )
    kinds = {finding.kind: finding for finding in find_trouble(question(frame))}
    assert kinds["empty"].columns == ("empty",)
    assert kinds["constant"].columns == ("same", "one")
    assert kinds["gaps"].columns == ("gappy",)
    assert "is missing in 7" in kinds["gaps"].sentence


def test_infinity_outliers_and_codes_for_unknown():
    frame, rng = plain(), np.random.default_rng(0)
    wild = frame.assign(
        far=np.r_[rng.normal(size=399), 1e9],
        endless=np.r_[rng.normal(size=395), [np.inf] * 5],
        age=np.where(np.arange(400) % 20 == 0, -999, rng.integers(18, 90, 400)),
    )
    findings = {finding.kind: finding for finding in find_trouble(question(wild, test=0.0))}
    assert findings["outlier"].columns == ("far",)
    assert (findings["infinite"].columns, findings["infinite"].gravity) == (("endless",), "warning")
    assert (findings["coded-gap"].columns, findings["coded-gap"].gravity) == (("age",), "warning")
    assert "holds -999 in 20 rows" in findings["coded-gap"].sentence


def test_numbers_that_were_read_as_words():
    rng = np.random.default_rng(0)
    frame = plain().assign(
        price=[f"${v:,}" for v in rng.integers(1000, 1050, 400)],
        weight=[f"{v} kg" for v in rng.integers(10, 30, 400)],
        age=rng.choice([*map(str, range(20, 60)), "unknown"], 400),
        plz=[f"0{v}" for v in rng.integers(100, 130, 400)],
        band=rng.choice(["10-20", "20-30", "30-40", "40-50", "50-60"], 400),
    )
    findings = findings_of(frame, "numbers-as-words")
    assert {finding.columns[0] for finding in findings} == {"price", "weight", "age"}
    assert any("except for 'unknown'" in finding.sentence for finding in findings)


def test_one_category_in_several_ways():
    frame = plain().assign(colour=np.random.default_rng(0).choice(["Red", "red ", "RED.", "blue"], 400))
    (finding,) = findings_of(frame, "variants")
    assert "'RED.', 'Red' and 'red'" in finding.sentence
    assert finding.gravity == "note"
    target = plain().assign(y=np.random.default_rng(0).choice(["yes", "Yes", "no"], 400))
    assert [(f.columns, f.gravity) for f in findings_of(target, "variants")] == [(("y",), "warning")]


def test_scales_likeness_and_few_rows():
    rng = np.random.default_rng(1)
    frame = plain().assign(tiny=1e-6 * rng.normal(size=400), inches=lambda f: f["x"] / 2.54 + 1e-4)
    findings = {finding.kind: finding for finding in find_trouble(question(frame))}
    assert findings["scales"].columns == ("tiny", "income")
    assert findings["alike"].columns == ("x", "inches")
    assert "'x' and 'inches' (1.000)" in findings["alike"].sentence
    wide = pd.DataFrame(rng.normal(size=(40, 20))).rename(columns=str).assign(y=rng.choice(["p", "q"], 40))
    (few,) = findings_of(wide, "few-rows")
    assert "32 rows for 20 columns" in few.sentence


# --- hostile and large ---------------------------------------------------------------------------------------


def test_nasty_names_and_values_stay_one_line():
    names = [name for name in NASTY_NAMES if name] + ["x" * 10_000]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: np.arange(60) for name in names})
    frame["words"] = rng.choice([f"{name} {i}" for i, name in enumerate(names)], 60)
    frame["y"] = rng.choice(NASTY_NAMES[:2], 60)
    for finding in find_trouble(question(frame)):
        assert finding.sentence.isprintable()
        assert len(finding.sentence) < 1500


def test_numbers_near_the_end_of_their_range():
    huge = np.where(np.arange(400) % 2, 1.0, -1.0) * np.linspace(1e300, 1.7e308, 400)
    findings = find_trouble(question(plain().assign(huge=huge, z=huge[::-1], y=lambda f: f["x"] + f["count"])))
    assert "target-copy" not in {finding.kind for finding in findings}


def test_many_of_a_kind_are_reported_together():
    rng = np.random.default_rng(0)
    counters = pd.DataFrame({f"id{j}": rng.permutation(400) for j in range(30)})
    findings = findings_of(pd.concat([counters, plain()], axis=1), "identifier")
    assert len(findings) == 10
    assert len(findings[-1].columns) == 21
    assert findings[-1].sentence.startswith("Columns 'id9', 'id10', ")
    assert "and 15 more: the same as for 'id0'" in findings[-1].sentence


def test_a_long_or_wide_table_is_sampled_and_says_so(monkeypatch):
    from novacula.study.trouble import columns

    monkeypatch.setattr(columns, "MAX_ROWS", 150)
    monkeypatch.setattr(columns, "MAX_COLUMNS", 3)
    findings = findings_of(plain().assign(copy=lambda f: f["y"]), "sampled")
    assert [finding.sentence for finding in findings] == [
        "Trouble was looked for in 150 of 320 rows, drawn at random.",
        "Trouble was looked for in the first 3 of 5 columns.",
    ]


def test_sparse_rows_are_compared_as_well(tmp_path):
    from scipy import sparse
    from sklearn.datasets import dump_svmlight_file

    rows = sparse.random(60, 30, density=0.2, random_state=0, format="csr")
    path = tmp_path / "twice.svmlight"
    dump_svmlight_file(sparse.vstack([rows, rows]), np.random.default_rng(0).normal(size=120), str(path))
    (finding,) = findings_of(nv.read(path, progress=False), "contradictions", test=0.0)
    assert finding.sentence.startswith("120 rows agree in every column")


def test_a_table_without_a_target():
    frame = plain().drop(columns="y").assign(id=range(400), same=1.0)
    findings = find_table_trouble(nv.read(frame, progress=False))
    assert [(finding.kind, finding.columns) for finding in findings] == [
        ("identifier", ("id",)),
        ("constant", ("same",)),
    ]
