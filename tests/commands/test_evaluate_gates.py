"""The gates of treecli evaluate: --fail-under, --fail-over and --not-worse-than."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.example_models import playtennis, regression
from treecli.models import write_model

ALWAYS_A, ALWAYS_B = "IF x > 0 THEN a\nDEFAULT a\n", "IF x > 0 THEN b\nDEFAULT b\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two rule lists, one for each label, and a numeric model."""
    head = "target y: nominal {a, b}\nattribute x: numeric\n"
    (tmp_path / "a.rules").write_text(head + ALWAYS_A)
    (tmp_path / "b.rules").write_text(head + ALWAYS_B)
    write_model(str(tmp_path / "days.json"), playtennis())
    write_model(str(tmp_path / "houses.json"), regression())
    (tmp_path / "houses.csv").write_text("area,district,price\n50,hills,10\n70,harbour,33\n70,old town,20\n")
    return tmp_path


def rows(folder: Path, n_a: int, n_b: int) -> str:
    (folder / "rows.csv").write_text("x,y\n" + "1,a\n" * n_a + "1,b\n" * n_b)
    return "rows.csv"


@pytest.mark.parametrize(
    ("bounds", "code", "message"),
    [
        ("errors=4", 0, ""),
        ("errors=3,leaves=1", 1, "Failed: errors 4.0000 > 3\n"),
        ("errors=3,zero_one_loss=0.1", 1, "Failed: errors 4.0000 > 3\nFailed: zero_one_loss 0.4000 > 0.1\n"),
        ("kappa=0.5", 0, ""),
    ],
)
def test_fail_over_is_an_upper_bound(treecli: Runner, folder: Path, bounds: str, code: int, message: str) -> None:
    outcome = treecli("evaluate", "a.rules", rows(folder, 6, 4), "-q", "--fail-over", bounds)
    assert (outcome.code, outcome.err) == (code, message)
    assert outcome.out.startswith("measure")


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ("--fail-under acuracy=0.9", "unknown measure 'acuracy'", "did you mean 'accuracy'?"),
        ("--fail-over log-los=1", "unknown measure 'log-los'", "did you mean 'log_loss'?"),
        ("--fail-under accuracy=90", "found 'accuracy=90', expected a number of at most 1", ""),
        ("--fail-over brier=-1", "found 'brier=-1', expected a number of at least 0", ""),
        ("--fail-under accuracy=high", "found 'accuracy=high', expected a number or MEASURE=X", "for example"),
        ("--fail-under nan", "found 'nan', expected", "for example"),
        ("--fail-under =0.5", "found '=0.5', expected", "for example"),
        ("--fail-over 0.5", "--fail-over: found '0.5', expected MEASURE=X", "for example --fail-over brier=0.1"),
        (
            "--fail-over rmse=2",
            "rmse is a measure for a numeric target, but the target is nominal",
            "use absolute_loss",
        ),
        ("--fail-over cost=2", "cost: a.rules has no cost matrix", "give one with --costs FILE"),
        ("--alpha 0.1", "--alpha: has no effect without --not-worse-than", ""),
        ("--margin 0.1", "--margin: has no effect without --not-worse-than", ""),
        ("--not-worse-than a.rules --alpha 0", "--alpha: found '0', expected", ""),
    ],
)
def test_a_bad_gate_is_a_usage_error_and_nothing_is_printed(
    treecli: Runner, folder: Path, options: str, message: str, hint: str
) -> None:
    code, out, err = treecli("evaluate", "a.rules", rows(folder, 6, 4), *options.split())
    assert (code, out) == (2, "")
    assert message in err
    assert f"Hint: {hint}" in err or not hint


def test_an_unknown_measure_is_found_before_files_are_read(treecli: Runner, folder: Path) -> None:
    assert "unknown measure" in treecli("evaluate", "none.json", "none.csv", "--fail-under", "foo=1").err


def test_a_measure_of_classes_is_refused_for_a_numeric_target(treecli: Runner, folder: Path) -> None:
    code, _, err = treecli("evaluate", "houses.json", "houses.csv", "--fail-under", "kappa=0.1")
    assert code == 2
    assert "kappa is a measure for a nominal target, but the target is numeric" in err
    code, _, err = treecli("evaluate", "houses.json", "houses.csv", "--not-worse-than", "houses.json")
    assert code == 2
    assert "McNemar's test compares classes" in err


@pytest.mark.parametrize(
    ("options", "warning"),
    [
        ("--fail-under 0", "--fail-under accuracy=0: no accuracy is below 0; the gate cannot fail"),
        ("--fail-over kappa=1", "--fail-over kappa=1: no kappa is above 1; the gate cannot fail"),
        ("--fail-under brier=0.1", "--fail-under brier: smaller values are better; --fail-over checks the other side"),
    ],
)
def test_a_gate_that_cannot_fail_or_is_the_wrong_way_round_is_warned_of(
    treecli: Runner, folder: Path, options: str, warning: str
) -> None:
    outcome = treecli("evaluate", "a.rules", rows(folder, 6, 4), *options.split())
    assert f"Warning: {warning}\n" in outcome.err


def test_a_worse_model_fails_with_the_p_value_of_statsmodels(treecli: Runner, folder: Path) -> None:
    # 57 and 81 discordant rows: one-sided p 0.02492 (statsmodels 0.15.0).
    data = rows(folder, 57, 81)
    code, out, err = treecli("evaluate", "a.rules", data, "-q", "--not-worse-than", "b.rules", "-f", "json")
    assert code == 1
    assert err == (
        "Failed: worse than b.rules: right alone on 57 rows, b.rules on 81 (exact McNemar, one-sided p 0.025)\n"
    )
    check = json.loads(out)["checks"][0]
    assert (check["check"], check["right_alone"], check["other_right_alone"], check["holds"]) == (
        "not-worse-than",
        57,
        81,
        False,
    )
    assert check["p"] == pytest.approx(0.02492404040458065, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--alpha", "0.02"), 0),
        (("--margin", "0.2"), 0),  # the drop is 24 / 138 = 0.17
        (("--margin", "0.17"), 1),
    ],
)
def test_alpha_and_margin_decide_whether_a_drop_fails(
    treecli: Runner, folder: Path, options: tuple[str, ...], code: int
) -> None:
    data = rows(folder, 57, 81)
    assert treecli("evaluate", "a.rules", data, "-q", "--not-worse-than", "b.rules", *options).code == code


def test_a_better_model_passes(treecli: Runner, folder: Path) -> None:
    assert treecli("evaluate", "b.rules", rows(folder, 57, 81), "-q", "--not-worse-than", "a.rules").code == 0


@pytest.mark.parametrize(
    ("n_a", "n_b", "options", "warning"),
    [
        (0, 4, (), "4 rows differ: even all against it gives p 0.062; the gate cannot fail"),
        (0, 1, (), "1 row differs: even all against it gives p 0.5; the gate cannot fail"),
        (3, 5, ("--margin", "1"), "8 rows differ: even all against it is a drop of 1; the gate cannot fail"),
    ],
)
def test_too_few_rows_that_differ_are_warned_of(
    treecli: Runner, folder: Path, n_a: int, n_b: int, options: tuple[str, ...], warning: str
) -> None:
    outcome = treecli("evaluate", "a.rules", rows(folder, n_a, n_b), "--not-worse-than", "b.rules", *options)
    assert outcome.code == 0
    assert f"Warning: --not-worse-than b.rules: {warning}\n" in outcome.err


def test_weights_count_in_the_test(treecli: Runner, folder: Path) -> None:
    (folder / "heavy.csv").write_text("x,y,w\n1,a,57\n1,b,81\n")
    code, _, err = treecli("evaluate", "a.rules", "heavy.csv", "--weights", "w", "-q", "--not-worse-than", "b.rules")
    assert (code, "p 0.025" in err) == (1, True)


def test_every_failure_of_every_model_is_listed(treecli: Runner, folder: Path) -> None:
    code, out, err = treecli(
        *("evaluate", "a.rules", "b.rules", rows(folder, 6, 4), "-q", "--fail-under", "accuracy=0.7,kappa=-0.5"),
        *("--fail-over", "errors=5"),
    )
    assert (code, out.splitlines()[0].split()[0]) == (1, "model")
    assert err.splitlines() == [
        "Failed: a.rules: accuracy 0.6000 < 0.7",
        "Failed: b.rules: accuracy 0.4000 < 0.7",
        "Failed: b.rules: errors 6.0000 > 5",
    ]


def test_gates_are_recorded_in_json(treecli: Runner, folder: Path) -> None:
    outcome = treecli("evaluate", "a.rules", rows(folder, 6, 4), "-q", "-f", "json", "--fail-under", "0.7")
    assert json.loads(outcome.out)["checks"] == [
        {"check": "fail-under", "measure": "accuracy", "value": 0.6, "bound": 0.7, "holds": False}
    ]
