"""Numbers at the ends of the range of a double: refused before a model is written, or computed without overflow."""

from __future__ import annotations

import json
import warnings
from math import inf, isfinite, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Runner, examples
from tests.growing import numeric_table
from treecli import limits, plugins
from treecli.errors import DataError
from treecli.evaluate.metrics import classification, regression, wilson_interval
from treecli.grow.grow import grow
from treecli.settings import Settings

MOST = 1.7976931348623157e308

ATTRIBUTE_VALUES = ["", "inf", "-inf", "0", "1", "-1", "2", "1e16", "5e-324", "1e-300", "1e308", "-1e308"]
ATTRIBUTE_VALUES += [str(MOST), str(-MOST)]
TARGETS = ["0", "1", "-1", "1e-320", "1e-160", "1e-59", "1e59", "-1e59", "1e61", "1e150", "-1e200", "1e308", ""]
WEIGHTS = ["0", "1", "2", "0.5", "1e-320", "1e-300", "1e-30", "1e30", "1e300"]


@pytest.mark.parametrize("value", [1e61, -1e150, 1e200, -MOST])
def test_a_target_too_large_to_be_squared_is_refused_by_name(treecli: Runner, tmp_path: Path, value: float) -> None:
    (tmp_path / "huge.csv").write_text(f"a,y\n1,{value}\n2,5\n3,5.5\n")
    for command in (["train", "huge.csv"], ["crossval", "huge.csv", "--folds", "2"]):
        outcome = treecli(*command)
        assert outcome.code == 3
        assert f"Error: huge.csv: the target 'y' contains {value:g}, expected -1e+60 to 1e+60\n" in outcome.err
        assert "Hint: scale the target" in outcome.err
    assert not (tmp_path / "huge.json").exists()


def test_targets_too_near_to_each_other_are_refused(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "tiny.csv").write_text("a,y\n1,1e-160\n2,2e-160\n")
    outcome = treecli("train", "tiny.csv")
    assert outcome.code == 3
    assert "values of the target 'y' differ by at most 1e-160, expected 1e-60 or more" in outcome.err


@pytest.mark.parametrize("weight", ["1e-300", "1e41", "1e200", "1e308"])
def test_weights_that_sum_to_too_much_or_too_little_are_refused(treecli: Runner, tmp_path: Path, weight: str) -> None:
    (tmp_path / "odd.csv").write_text(f"a,w,y\n1,{weight},p\n2,{weight},q\n3,{weight},q\n")
    outcome = treecli("train", "odd.csv", "--weights", "w")
    assert outcome.code == 3
    assert "Error: odd.csv: the weights in 'w' sum to " in outcome.err
    assert "Hint: scale the weights" in outcome.err
    assert not (tmp_path / "odd.json").exists()


@pytest.mark.parametrize("like", plugins.names("presets"))
def test_weights_of_0_in_every_row_with_a_target_are_refused(treecli: Runner, tmp_path: Path, like: str) -> None:
    (tmp_path / "zero.csv").write_text("a,w,y\n1,0,p\n2,0,q\n3,1,\n")
    outcome = treecli("train", "zero.csv", "--weights", "w", "--like", like)
    assert outcome.code == 3
    assert not (tmp_path / "zero.json").exists()


def test_a_row_whose_weight_is_lost_in_the_sum_is_no_case(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "rare.csv").write_text("a,w,y\n1,1,p\n2,1e-60,q\n3,1,r\n")
    for priors in ("observed", "equal"):
        assert treecli("train", "rare.csv", "--weights", "w", "--priors", priors, "--criterion", "gini").code == 0
        assert json.loads(treecli("info", "rare.json", "-f", "json").out)["leaves"] == 2


@pytest.mark.parametrize(
    "options", [["--prune", "reduced-error"], ["--forest", "3"], ["--forest", "3", "--features", "all"]]
)
def test_a_tree_from_rows_that_weigh_almost_nothing_is_not_written(
    treecli: Runner, tmp_path: Path, options: list[str]
) -> None:
    """All rows together weigh enough, but not those that are drawn or not held out."""
    (tmp_path / "light.csv").write_text("a,w,y\n1,1,p\n2,1e-320,q\n3,1e-320,p\n4,1e-320,q\n")
    codes = set()
    for seed in ("1", "2", "3", "4"):
        outcome = treecli(
            "train", "light.csv", "-t", "y", "--weights", "w", *options, "--seed", seed, "-o", "light.json"
        )
        codes.add(outcome.code)
        if outcome.code == 0:
            assert treecli("show", "light.json").code == 0
            (tmp_path / "light.json").unlink()
        else:
            assert "Error: a tree cannot be written: the root weighs " in outcome.err
            assert not (tmp_path / "light.json").exists()
    assert 3 in codes


def test_a_fold_without_a_case_is_an_error_in_the_data(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("a,w,y\n1,1,1.5\n2,0,2.5\n")
    outcome = treecli("crossval", "few.csv", "--weights", "w", "--folds", "2")
    assert outcome.code == 3
    assert "no row can be learned from" in outcome.err


def test_rows_without_any_value_are_no_cases_for_rpart(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "blank.csv").write_text("a,y\n,1.5\n,2.5\n")
    outcome = treecli("train", "blank.csv", "--type", "a=numeric", "--like", "rpart")
    assert outcome.code == 3
    assert "no row can be learned from" in outcome.err


@pytest.mark.parametrize("criterion", ["error", "gain", "gini", "chi2", "variance", "absolute"])
def test_known_values_are_not_divided_from_missing_ones_where_none_is_missing(criterion: str) -> None:
    # With a least weight near 0 a branch without a case would be large enough, and its sibling split without end.
    columns = [[2.0, 2.0, 4.0, 0.0, 4.0, 2.0, 4.0], [4.0, 4.0, 0.0, nan, 3.0, 4.0, 0.0]]
    is_numeric = criterion in ("variance", "absolute")
    dataset = numeric_table(columns, [3.0, 1.0, 2.0, 1.0, 1.0, 2.0, 2.0] if is_numeric else list("cabaabb"))
    tree = grow(dataset, Settings.of(criterion=criterion, missing="branch", min_leaf=1e-30, max_depth=9), jobs=1)
    assert min(tree.weights(is_classification=not is_numeric)) > 0
    assert tree.depth() < 7  # seven cases


@pytest.mark.parametrize("threshold", ["midpoint", "datavalue", "mean", "median"])
def test_minus_infinity_and_the_lowest_number_stay_together(threshold: str) -> None:
    # No finite threshold lies between them, and a split that parts nothing would be made again and again.
    dataset = numeric_table([[-inf, -MOST, -inf, -MOST]], list("abab"))
    assert grow(dataset, Settings.of(threshold=threshold), jobs=1).n_nodes == 1
    dataset = numeric_table([[-inf, -MOST, 3.0, 3.0]], list("aabb"))
    tree = grow(dataset, Settings.of(threshold=threshold), jobs=1)
    assert tree.n_leaves == 2
    assert isfinite(tree.number[0])


def test_weka_s_threshold_parts_a_large_number_from_infinity() -> None:
    # A tolerance of 1e-6 added to 1e200 changes nothing, so the threshold was the value below 1e200.
    dataset = numeric_table([[2.0, 2.0, 1e200, 1e200, inf, inf]], list("aabbcc"))
    tree = grow(dataset, Settings.of(threshold="datavalue", tolerance=1e-6, value_gap=1e-5), jobs=1)
    assert sorted(number for number in tree.number if number) == [2.0, 1e200]


def test_the_mean_of_the_largest_numbers_is_a_threshold() -> None:
    dataset = numeric_table([[1e308, 1.2e308, 1.6e308, 1.7e308]], list("aabb"))
    assert grow(dataset, Settings.of(threshold="mean"), jobs=1).number[0] == pytest.approx(1.375e308)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e305])
def test_measures_of_numbers_of_any_size_are_in_proportion(size: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        actual, said = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 3.0])
        found = regression(actual * size, said * size, np.ones(3))
    assert found.mae == pytest.approx(2 / 3 * size)
    assert found.rmse == pytest.approx((2 / 3) ** 0.5 * size)
    assert found.r2 == pytest.approx(1 - 2 / (14 / 3))  # the deviance about the mean of 7/3 is 14/3


@pytest.mark.parametrize("size", [1e-300, 1e-20, 1.0, 1e160, 1e300])
def test_measures_of_classes_with_weights_of_any_size_are_finite(size: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes = np.array([0, 0, 1, 1], np.int32)
        found = classification(("p", "q"), codes, np.array([0, 1, 1, 1], np.int32), np.full(4, size))
    assert found.accuracy == 0.75
    assert found.kappa == pytest.approx(0.5)
    assert all(0 <= bound <= 1 for bound in found.accuracy_ci95)


def test_an_accuracy_is_never_above_1() -> None:
    # The sum over the diagonal and the sum over the rows round differently.
    random = np.random.default_rng(1)
    for _ in range(50):
        codes = random.integers(0, 5, 40).astype(np.int32)
        found = classification(tuple("abcde"), codes, codes, random.uniform(0, 1, 40) * 1e290)
        assert found.accuracy <= 1.0


def test_the_interval_of_next_to_no_cases_is_everything() -> None:
    assert wilson_interval(0.5, 1e-300) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("target", "weights", "is_refused"),
    [
        ([1e60, 0], [1, 1], False),
        ([1e60, 0], [1e39, 1], False),
        ([0, 1e-60], [1, 1], False),
        ([0, 9e-61], [1, 1], True),
    ],
)
def test_the_limits_themselves_are_allowed(target: list[float], weights: list[float], is_refused: bool) -> None:
    dataset = numeric_table([[1.0, 2.0]], target, weights)
    if is_refused:
        with pytest.raises(DataError):
            limits.check(dataset, "data")
    else:
        limits.check(dataset, "data")


@st.composite
def _command_lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A data file with extreme numbers, and options of `train`."""
    n_rows, is_numeric, has_weights = draw(st.integers(2, 16)), draw(st.booleans()), draw(st.booleans())

    def few(values: list[str]) -> st.SearchStrategy[str]:
        return st.sampled_from(draw(st.lists(st.sampled_from(values), min_size=1, max_size=4)))

    numbers, target, weights = few(ATTRIBUTE_VALUES), few(TARGETS if is_numeric else ["p", "q", "r"]), few(WEIGHTS)
    lines = ["a,b,c,w,y"]
    for _ in range(n_rows):
        lines.append(",".join(draw(st.tuples(numbers, numbers, st.sampled_from("stuv"), weights, target))))
    kind = "numeric" if is_numeric else "nominal"
    options = ["-t", "y", "--type", f"y={kind}", "--type", "a=numeric", "--type", "b=numeric"]
    options += ["--weights", "w"] if has_weights else ["-x", "w"]
    like = draw(st.sampled_from([None, *plugins.names("presets")]))
    options += [] if like is None else ["--like", like]
    for name, values in (
        ("--threshold", ["midpoint", "datavalue", "mean", "median"]),
        ("--nominal", ["multiway", "binary", "subset", "merged"]),
        ("--missing", ["fractional", "majority", "branch", "stay", "surrogate"]),
        ("--criterion", ["variance", "absolute"] if is_numeric else ["gain", "gainratio", "gini", "error", "chi2"]),
        ("--prune", ["none", "reduced-error", "pessimistic", "cost-complexity", "mdl", "min-error"]),
        ("--min-leaf", ["1e-300", "0.5", "1"]),
    ):
        if draw(st.booleans()):
            options += [name, draw(st.sampled_from(values))]
    return "\n".join(lines) + "\n", options


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(_command_lines())
def test_any_model_that_train_writes_can_be_used(treecli: Runner, tmp_path: Path, drawn: tuple[str, list[str]]) -> None:
    text, options = drawn
    (tmp_path / "extreme.csv").write_text(text)
    model = tmp_path / "extreme.json"
    model.unlink(missing_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        outcome = treecli("train", "extreme.csv", *options, "-o", model)
        assert outcome.code in (0, 2, 3), outcome.err
        assert model.exists() == (outcome.code == 0)
        if outcome.code != 0:
            return
        json.loads(model.read_text(), parse_constant=pytest.fail)  # neither NaN nor Infinity
        reading = options[options.index("--weights") :][:2] if "--weights" in options else []
        for command in (["show", model], ["rules", model], ["evaluate", model, "extreme.csv", *reading, "-f", "json"]):
            outcome = treecli(*command)
            assert outcome.code == 0, outcome.err
        json.loads(outcome.out, parse_constant=pytest.fail)


@pytest.mark.parametrize("options", [["--like", "m5p"], ["--leaf-model", "linear"]])
def test_formulas_at_leaves_refuse_attributes_whose_squares_overflow(
    treecli: Runner, tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "large.csv").write_text("a b,y\n" + "".join(f"{n}e307,{n}\n" for n in range(1, 9)))
    outcome = treecli("train", "large.csv", "--type", "y=numeric", *options, "-o", tmp_path / "large.json")
    assert outcome.code == 3
    assert outcome.err.splitlines()[-2:] == [
        "Error: the attribute 'a b' has values up to 8e+307, and formulas at leaves take values up to 1e+60",
        "Hint: scale the attribute, or leave it out: -x 'a b'",
    ]
    assert not (tmp_path / "large.json").exists()
