"""Traces of M5's pruning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.tracing import data_of, traced
from tests.conftest import Runner

ROOT = Path(__file__).parents[2]

CPU = str(ROOT / "sample_data" / "cpu.csv")


def test_the_error_of_a_model_is_compared_with_that_of_the_subtree(treecli: Runner) -> None:
    out = traced(treecli, CPU, "--leaf-model", "linear", "--min-leaf", "30", "--prune", "m5", "--only", "prune")
    # 29.805 (63 + 2) / (63 - 1); the root of (32 25.470² + 31 31.943²) / 63, times (63 + 6) / (63 - 3).
    assert "  model:   error 29.805 with v = 1: 29.805·(63 + 2·1)/(63 − 1) = 31.248\n" in out
    assert "= 28.837 with v = 1 + 1 + 1 = 3: 28.837·(63 + 2·3)/(63 − 3) = 33.163\n" in out
    assert "  ⇒ 31.248 ≤ 33.163: replaced by its model\n" in out


def test_the_pruning_of_m5p_is_traced(treecli: Runner) -> None:
    found = data_of(treecli, CPU, "--like", "m5p", "--only", "prune")["pruning"]
    # 58.990 (209 + 12) / (209 - 6) against 33.923 (209 + 34) / (209 - 17).
    assert found[-1]["leaf"] == pytest.approx(64.221, abs=5e-4)
    assert found[-1]["subtree"] == pytest.approx(42.934, abs=5e-4)
    assert (found[-1]["id"], found[-1]["decision"]) == (0, "kept")
    refused = treecli("trace", CPU, "--like", "m5p")
    assert (refused.code, refused.out) == (2, "")
    assert "--search m5: its arithmetic is not traced\nHint: add --only prune" in refused.err


def test_a_model_that_is_next_to_exact_replaces_its_subtree(treecli: Runner, tmp_path: Path) -> None:
    rows = [f"{x},{2 * x + 1}\n" for x in range(20)]
    (tmp_path / "line.csv").write_text("x,y\n" + "".join(rows))
    out = traced(treecli, str(tmp_path / "line.csv"), "--leaf-model", "linear", "--prune", "m5", "--only", "prune")
    assert out.endswith("⇒ 0.000 ≤ 0.000: replaced by its model\n\n")
