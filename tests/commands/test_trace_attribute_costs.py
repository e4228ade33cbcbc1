"""`treecli trace --attribute-costs` weighs the gain of each split against the cost of its attribute."""

from __future__ import annotations

import shutil
from math import log2
from pathlib import Path

import pytest

from tests.commands.tracing import data_of, traced
from tests.conftest import Runner
from tests.growing import SAMPLE_DATA

COSTS = "Outlook,9\nTemperature,0.5\nHumidity,3\nWind,1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    shutil.copy(SAMPLE_DATA / "playtennis.csv", tmp_path)
    (tmp_path / "costs.csv").write_text(COSTS)
    return tmp_path


def gain_of_outlook() -> float:
    def entropy(*counts: int) -> float:
        return -sum(own / sum(counts) * log2(own / sum(counts)) for own in counts if own)

    return entropy(5, 9) - 5 / 14 * entropy(3, 2) - 5 / 14 * entropy(2, 3)


@pytest.mark.parametrize(
    ("words", "line", "score"),
    [
        ("eg2", "EG2(S, Outlook) = (2^0.247 − 1) / (9 + 1) = 0.019", lambda gain: (2**gain - 1) / 10),
        (
            "eg2 --cost-weight 0.5",
            "EG2(S, Outlook) = (2^0.247 − 1) / (9 + 1)^0.500 = 0.059",
            lambda gain: (2**gain - 1) / 10**0.5,
        ),
        ("idx", "IDX(S, Outlook) = 0.247 / 9 = 0.027", lambda gain: gain / 9),
        ("csid3", "CS-ID3(S, Outlook) = (0.247)² / 9 = 0.007", lambda gain: gain**2 / 9),
    ],
)
def test_each_method_has_its_formula(treecli: Runner, words: str, line: str, score: object) -> None:
    options = ("--attribute-costs", "costs.csv", "--cost-method", *words.split(), "--depth", "0")
    assert f"    {line}\n" in traced(treecli, "playtennis.csv", *options)
    (root,) = data_of(treecli, "playtennis.csv", *options)["nodes"]
    outlook = root["candidates"][0]
    assert outlook["gain"] == pytest.approx(gain_of_outlook())
    assert outlook["score_by_cost"] == pytest.approx(score(gain_of_outlook()))  # type: ignore[operator]
    best = max(root["candidates"], key=lambda own: own["score_by_cost"])
    assert (root["chosen"], root["score"]) == (best["split"], pytest.approx(best["score_by_cost"]))


def test_a_cheap_attribute_wins_and_the_decision_names_the_score(treecli: Runner) -> None:
    # By gain alone Outlook wins; divided by costs of 9, 3 and 1: 0.027, 0.051 and 0.048.
    words = ("--attribute-costs", "costs.csv", "--cost-method", "idx")
    out = traced(treecli, "playtennis.csv", *words, "--top", "2", "--depth", "0")
    assert "  ⇒ split on Temperature: IDX 0.058; next Humidity 0.051\n" in out
    assert "  not spelled out: Outlook 0.027, Wind 0.048\n" in out


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("latex", r"\mathrm{CS\text{-}ID3}(S, \text{Wind}) &= \left(0.048\right)^2 / 1 = 0.002"),
        ("latex", r"\mathrm{EG2}(S, \text{Wind}) &= \left(2^{0.048} - 1\right) / \left(1 + 1\right) = 0.017"),
        ("html", "<msup><mrow><mn>2</mn></mrow><mrow><mn>0.048</mn></mrow></msup>"),
    ],
)
def test_other_formats_write_powers(treecli: Runner, form: str, text: str) -> None:
    method = "csid3" if "CS" in text else "eg2"
    assert text in traced(
        treecli, "playtennis.csv", "--attribute-costs", "costs.csv", "--cost-method", method, "-f", form
    )


def test_a_lesson_refuses_costs_of_attributes(treecli: Runner) -> None:
    code, out, err = treecli("lesson", "playtennis.csv", "--attribute-costs", "costs.csv")
    assert (code, out) == (2, "")
    assert err.startswith("Error: --attribute-costs: has no lesson\n")
