"""One line, exit code 2 and no file for methods that are misspelled, out of range or unsuited to the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

SEARCHES = "greedy, lookahead, m5, optimal, skewing, skewing-sequential"


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ("--search lookahead:0", "--search lookahead:K: found '0', expected a whole number of 1 or more", None),
        ("--search lookahead:x", "--search lookahead:K: found 'x', expected a whole number of 1 or more", None),
        ("--search skewing:0", "--search skewing:TRIALS: found '0', expected a whole number from 1 to 100000", None),
        (
            "--search skewing:100001",
            "--search skewing:TRIALS: found '100001', expected a whole number from 1 to 100000",
            None,
        ),
        ("--search optimal:0", "--search optimal:DEPTH: found '0', expected a whole number from 1 to 4", None),
        ("--search optimal:5", "--search optimal:DEPTH: found '5', expected a whole number from 1 to 4", None),
        ("--search optimal", "--search: found 'optimal', expected optimal:DEPTH", "for example optimal:2"),
        ("--search lookahed", f"--search: unknown 'lookahed' (known: {SEARCHES})", "did you mean 'lookahead'?"),
        ("--beam 0", "--beam: found '0', expected a whole number of 1 or more", None),
        ("--splits mof", "--splits: unknown 'mof' (known: linear, mofn)", "did you mean 'mofn'?"),
        (
            "--splits linear",
            "--splits linear: needs at least two numeric attributes, none is",
            "leave it out, or use --splits mofn",
        ),
        ("--project jl:2", "--project: found 'jl:2', expected jl:EPS with EPS above 0 and below 1", None),
        (
            "--project gaussian:2",
            "--project: 'Outlook', 'Temperature', 'Humidity', 'Wind' are not numeric, and only numbers are projected",
            "leave them out: -x Outlook -x Temperature -x Humidity -x Wind",
        ),
        (
            "--leaf-model linear",
            "--leaf-model linear is for a numeric target, but 'PlayTennis' is nominal",
            "leave it out",
        ),
        (
            "--monotone Outlook=+",
            "--monotone: 'Outlook' is nominal, and its labels have no order",
            "leave it out, or say --type Outlook=ordinal:low<mid<high",
        ),
        ("--monotone Outlok=+", "--monotone: found no attribute 'Outlok'", "did you mean 'Outlook'?"),
        ("--force Outlok", "--force: found no attribute 'Outlok'", "did you mean 'Outlook'?"),
    ],
)
def test_a_method_that_cannot_be_is_one_line(
    treecli: Runner, tmp_path: Path, options: str, message: str, hint: str | None
) -> None:
    outcome = treecli("train", SAMPLE_DATA / "playtennis.csv", *options.split(), "-q", "-o", "m.json")
    assert (outcome.code, outcome.out) == (2, "")
    expected = [f"Error: {message}", *([] if hint is None else [f"Hint: {hint}"])]
    assert outcome.err.splitlines() == expected
    assert not (tmp_path / "m.json").exists()
