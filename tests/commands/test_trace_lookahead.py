"""`treecli trace --search lookahead` shows the gain of the subtree below every split."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Runner

PARITY = "x1,x2,x3,y\n" + "".join(f"v{a},v{b},v{c},{'ab'[a ^ b]}\n" for a, b, c in product((0, 1), repeat=3))
"""x1 xor x2 beside an irrelevant x3: no attribute gains by itself, x1 and x2 gain 1 bit with one level more."""

THREE = "x1,x2,x3,y\n" + "".join(f"v{a},v{b},v{c},{'ab'[a ^ b ^ c]}\n" for a, b, c in product((0, 1), repeat=3))
"""The parity of all three: one level more shows nothing, two show all."""


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> None:
    (tmp_path / "parity.csv").write_text(PARITY)
    (tmp_path / "three.csv").write_text(THREE)


def root_of(treecli: Runner, *arguments: str) -> dict[str, Any]:
    code, out, err = treecli("trace", *arguments, "--depth", "0", "-q", "-f", "json")
    assert (code, err) == (0, "")
    (node,) = json.loads(out)["nodes"]
    found: dict[str, Any] = node
    return found


def test_the_gain_of_a_subtree_is_the_sum_of_its_splits(treecli: Runner) -> None:
    code, out, err = treecli(
        "trace", "parity.csv", "--criterion", "gain", "--search", "lookahead", "--depth", "0", "--top", "1", "-q"
    )
    assert (code, err) == (0, "")
    assert out[out.index("    Gain(S, x1)") :] == (
        "    Gain(S, x1) = 1.000 − 1.000 = 0\n"
        "    x1 = v0, 4 of 8 cases, then x2\n"
        "      H(x1 = v0) = −2/4 log2(2/4) − 2/4 log2(2/4) = 1.000\n"
        "      v0  [2, 0]  H = 0   (pure)\n"
        "      v1  [0, 2]  H = 0   (pure)\n"
        "      H(x1 = v0|x2) = 2/4·0 + 2/4·0 = 0\n"
        "      Gain(x1 = v0, x2) = 1.000 − 0 = 1.000\n"
        "    x1 = v1, 4 of 8 cases, then x2\n"
        "      H(x1 = v1) = −2/4 log2(2/4) − 2/4 log2(2/4) = 1.000\n"
        "      v0  [0, 2]  H = 0   (pure)\n"
        "      v1  [2, 0]  H = 0   (pure)\n"
        "      H(x1 = v1|x2) = 2/4·0 + 2/4·0 = 0\n"
        "      Gain(x1 = v1, x2) = 1.000 − 0 = 1.000\n"
        "    EvaluateSplit(S, x1) = 0 + 4/8·1.000 + 4/8·1.000 = 1.000\n"
        "\n"
        "  not spelled out: x2 1.000, x3 0\n"
        "\n"
        "  ⇒ split on x1: EvaluateSplit 1.000; next x2 1.000, a TIE: the larger gain by itself wins, "
        "then the first column\n\n"
    )


@pytest.mark.parametrize(
    ("file", "search", "gains"),
    [
        ("parity.csv", "lookahead", (1.0, 1.0, 0.0)),
        ("three.csv", "lookahead", (0.0, 0.0, 0.0)),
        ("three.csv", "lookahead:2", (1.0, 1.0, 1.0)),
    ],
)
def test_parity_is_seen_as_many_levels_ahead_as_it_needs(
    treecli: Runner, file: str, search: str, gains: tuple[float, ...]
) -> None:
    node = root_of(treecli, file, "--criterion", "gain", "--search", search)
    assert [own["gain"] for own in node["candidates"]] == pytest.approx([0.0, 0.0, 0.0])
    assert [own["ahead"]["gain"] for own in node["candidates"]] == pytest.approx(gains)


def test_a_ratio_is_that_of_the_subtree(treecli: Runner) -> None:
    node = root_of(treecli, "parity.csv", "--criterion", "gainratio", "--search", "lookahead")
    first = node["candidates"][0]
    # One bit for x1, and one for x2 in each half of the cases.
    assert (first["ahead"]["split_info"], first["ahead"]["ratio"]) == pytest.approx((2.0, 0.5))
    assert node["score"] == pytest.approx(0.0)  # the model has the score of the split by itself


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("latex", r"\mathrm{EvaluateSplit}(S, \text{x1}) &= 0 + \tfrac{4}{8}(1.000) + \tfrac{4}{8}(1.000) = 1.000"),
        ("markdown", r"$\mathrm{Gain}(\text{x1 = v0}, \text{x2}) = 1.000 - 0 = 1.000$"),
        ("html", "<mi>EvaluateSplit</mi>"),
    ],
)
def test_documents_have_the_subtree_too(treecli: Runner, form: str, expected: str) -> None:
    words = ("parity.csv", "--criterion", "gain", "--search", "lookahead", "--depth", "0", "-q", "-f", form)
    code, out, _ = treecli("trace", *words)
    assert code == 0
    assert expected in out


def test_a_model_that_looks_ahead_is_traced(treecli: Runner) -> None:
    assert treecli("train", "parity.csv", "--search", "lookahead", "-q", "-o", "m.json")[0] == 0
    assert treecli("trace", "parity.csv", "--model", "m.json", "-q")[0] == 0


@pytest.mark.parametrize("beam", ["1", "2"])
def test_a_beam_is_traced_at_every_level(treecli: Runner, tmp_path: Path, beam: str) -> None:
    # Weights that are not whole: gains that are equal in exact arithmetic differ by rounding errors.
    rows = [(a, b, c, 0.1 + (3 * a + 5 * b + c) % 7 / 10) for a, b, c in product(range(4), range(3), (0, 1))]
    lines = [f"{a},{b},{c},{w:g},{'ab'[(a > 1) ^ (b > 0) ^ c]}\n" for a, b, c, w in rows]
    (tmp_path / "weights.csv").write_text("x1,x2,x3,w,y\n" + "".join(lines))
    words = ("weights.csv", "--weights", "w", "--criterion", "gain", "--search", "lookahead:2", "--beam", beam)
    node = root_of(treecli, *words)
    most = max(own["ahead"]["gain"] for own in node["candidates"])
    (chosen,) = (own for own in node["candidates"] if own["status"] == "chosen")
    assert chosen["ahead"]["gain"] == pytest.approx(most)
