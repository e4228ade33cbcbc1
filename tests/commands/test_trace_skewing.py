"""`treecli trace --search skewing` shows the trials, what counts in each, and which attribute wins."""

from __future__ import annotations

import json
import random
from itertools import product
from math import log2
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner

PARITY = "x1,x2,x3,y\n" + "".join(f"v{a},v{b},v{c},{'ab'[a ^ b]}\n" for a, b, c in product((0, 1), repeat=3))
"""x1 xor x2 beside an irrelevant x3: no attribute gains by itself."""


def entropy(*weights: float) -> float:
    return -sum(w / sum(weights) * log2(w / sum(weights)) for w in weights)


def nodes_of(treecli: Runner, *arguments: str) -> list[dict[str, Any]]:
    code, out, err = treecli("trace", *arguments, "-q", "-f", "json")
    assert (code, err) == (0, "")
    found: list[dict[str, Any]] = json.loads(out)["nodes"]
    return found


def numbers(seed: int) -> str:
    """Return rows with numbers, labels and missing values, whose class is a parity of the first two columns."""
    draw = random.Random(seed)
    rows = []
    for _ in range(40):
        a, b, c = draw.choice("uvw"), round(draw.random(), 2), round(draw.random(), 1)
        rows.append(f"{'?' if draw.random() < 0.1 else a},{b},{'?' if draw.random() < 0.1 else c},"
                    f"{'yn'[(a == 'u') ^ (b > 0.5)]}\n")  # fmt: skip
    return "a,b,c,y\n" + "".join(rows)


def test_a_trial_is_spelled_out_and_all_are_counted(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "parity.csv").write_text(PARITY)
    words = ("trace", "parity.csv", "--criterion", "gain", "--search", "skewing:2", "--depth", "0", "-q")
    code, out, err = treecli(*words)
    assert (code, err) == (0, "")
    # Favoured values weigh 3/4 ÷ 1/4 = 3 times as much: of 8, the class of the favoured cell has 4.5 + 0.5.
    assert "      Weight(heaviest case) = 0.750·0.750·0.750·8.000 = 3.375\n" in out
    assert "        Gain(trial 1, x1) = 0.954 − 0.811 = 0.143\n        Share(x1) = 0.143 / 0.954 = 0.150\n" in out
    end = out[out.index("  Gain as a share") :]
    assert end == (
        "  Gain as a share of the impurity, in the data by themselves and in 2 trials; * counts, from 0.05 on:\n"
        "    trial  x1       x2       x3  favours\n"
        "    data   0        0        0\n"
        "    1      0.150 *  0.150 *  0   x1 = v0, x2 = v0, x3 = v0\n"
        "    2      0.150 *  0.150 *  0   x1 = v0, x2 = v1, x3 = v0\n"
        "    count  2        2        0\n\n"
        "  ⇒ split on x1: counted 2 of 3 times; next x2 2, a TIE: the better by itself wins, then the first column\n\n"
    )
    (root,) = nodes_of(treecli, *words[1:-1])
    share = (entropy(5, 3) - entropy(4.5, 1.5)) / entropy(5, 3)
    for trial in root["skewing"]["trials"]:
        assert trial["impurity"] == pytest.approx(entropy(5, 3), abs=1e-12)
        assert [gain / trial["impurity"] for gain in trial["gains"].values()] == pytest.approx([share, share, 0])


def test_sequential_skewing_adds_the_shares_of_the_other_attributes(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "parity.csv").write_text(PARITY)
    (root,) = nodes_of(treecli, "parity.csv", "--criterion", "gain", "--search", "skewing-sequential", "--depth", "0")
    # Skewing x2 by 3 : 1 makes x1 = v0 three to one for a: its gain is 1 - H(3, 1), for both values of x2.
    found = root["skewing"]
    assert found["least"] is None
    assert [own["favoured"] for own in found["trials"]] == [[f"x{i} = v{v}"] for i in (1, 2, 3) for v in (0, 1)]
    assert found["trials"][0]["gains"]["x1"] is None
    assert found["trials"][0]["gains"]["x2"] == pytest.approx(1 - entropy(3, 1))
    assert found["counts"] == pytest.approx({"x1": 2 * (1 - entropy(3, 1)), "x2": 2 * (1 - entropy(3, 1)), "x3": 0})


@pytest.mark.parametrize("search", ["skewing:4", "skewing-sequential"])
@pytest.mark.parametrize(("criterion", "missing"), [("gain", "branch"), ("gainratio", "fractional")])
def test_the_largest_count_wins_at_every_node(
    treecli: Runner, tmp_path: Path, search: str, criterion: str, missing: str
) -> None:
    (tmp_path / "numbers.csv").write_text(numbers(len(search) + len(criterion)))
    words = ("numbers.csv", "--search", search, "--criterion", criterion, "--missing", missing, "--max-depth", "3")
    n_split = 0
    for node in nodes_of(treecli, *words):
        if "skewing" not in node:
            continue
        counts = node["skewing"]["counts"]
        by_trial = [node["skewing"]["data"], *node["skewing"]["trials"]]
        for name, count in counts.items():
            assert sum(trial["counts"][name] or 0 for trial in by_trial) == pytest.approx(count)
        may_win = {own["attribute"] for own in node["candidates"] if own["status"] in ("chosen", "beaten", "tied")}
        (won,) = (own for own in node["candidates"] if own["status"] == "chosen")
        most = max(counts[name] for name in may_win)
        assert counts[won["attribute"]] == pytest.approx(most)
        n_split += 1
    assert n_split > 2


def test_a_threshold_comes_from_a_trial_and_the_gain_from_the_data(treecli: Runner, tmp_path: Path) -> None:
    (tmp_path / "numbers.csv").write_text(numbers(2))
    words = ("numbers.csv", "--search", "skewing:9", "--criterion", "gain")
    nodes = [own for own in nodes_of(treecli, *words) if "skewing" in own]
    moved = [(node, own) for node in nodes for own in node["candidates"] if "instead" in own]
    assert moved
    for node, own in moved:
        # The split of the trial gains less by itself; the candidate keeps the gain of its own split.
        assert own["instead"]["split"] != own["split"]
        assert own["instead"]["gain"] <= own["gain"] + 1e-12
        name = own["attribute"]
        trials = node["skewing"]["trials"]
        shares = [trial["gains"][name] / trial["impurity"] for trial in trials]
        assert shares[own["instead"]["trial"] - 1] == pytest.approx(max(shares))
        if own["status"] == "chosen":
            assert (node["chosen"], node["score"]) == (own["instead"]["split"], pytest.approx(own["instead"]["gain"]))
    code, out, err = treecli("trace", *words, "-q")
    assert (code, err) == (0, "")
    assert "if chosen, the split is that of trial" in out


def test_a_trial_may_send_missing_values_to_the_other_branch_of_the_same_threshold(
    treecli: Runner, tmp_path: Path
) -> None:
    (tmp_path / "few.csv").write_text("A,Y\n3,v\n2,u\n?,u\n3,v\n?,v\n")
    root, *_ = nodes_of(treecli, "few.csv", "--search", "skewing:3", "--missing", "branch", "--criterion", "gainratio")
    (own,) = root["candidates"]
    # By themselves, u: 2 ? and v: ? are below, v v above; in trials, u: 2 is below, and u: ? and v: v v ? above.
    gains = entropy(3, 2) - 3 / 5 * entropy(2, 1), entropy(3, 2) - 4 / 5 * entropy(3, 1)
    assert (own["split"], own["gain"]) == ("A <= 2.5", pytest.approx(gains[0]))
    assert (own["instead"]["split"], own["instead"]["gain"]) == ("A <= 2.5", pytest.approx(gains[1]))
    assert root["score"] == pytest.approx(gains[1] / entropy(4, 1))
    code, out, err = treecli("trace", "few.csv", "--search", "skewing:3", "--missing", "branch", "-q")
    assert (code, err) == (0, "")
    assert "where the attribute gains most: A <= 2.5, missing values with > 2.5\n" in out


@pytest.mark.parametrize("form", ["markdown", "html", "latex"])
def test_every_format_has_the_table_of_trials(treecli: Runner, tmp_path: Path, form: str) -> None:
    (tmp_path / "parity.csv").write_text(PARITY)
    code, out, err = treecli(
        "trace", "parity.csv", "--criterion", "gain", "--search", "skewing:2", "--depth", "0", "-q", "-f", form
    )
    assert (code, err) == (0, "")
    for text in ("counted 2 of 3 times", "Trial 1 multiplies the weights", "count", "0.150"):
        assert text in out
