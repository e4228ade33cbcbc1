"""`treecli trace --prune pessimistic` shows where a node is replaced by its largest branch."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import pytest

from tests.conftest import Runner

ROWS = "A,B,C,y\np,q,p,no\np,p,q,yes\nq,q,p,yes\np,q,r,no\np,q,r,no\nq,r,q,yes\np,p,p,no\np,p,p,no\n"
"""C is chosen at the root, A below C = p; A alone would do: only the second row is wrong there."""

WORDS = ("rows.csv", "--criterion", "gain", "--prune", "pessimistic", "--only", "prune")

Z = 0.6744897501960817
"""The upper quartile of the normal distribution."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_text(ROWS)
    return tmp_path


def limit(errors: float, n: float) -> float:
    """U(E, N), with a continuity correction (Quinlan 1993); without errors exact."""
    if not errors:
        return 1 - 0.25 ** (1 / n)
    wrong = errors + 0.5
    return (wrong + Z * Z / 2 + Z * sqrt(wrong * (1 - wrong / n) + Z * Z / 4)) / (n + Z * Z)


def test_a_node_is_replaced_by_its_largest_branch_and_compared_again(treecli: Runner) -> None:
    code, out, _ = treecli("trace", *WORDS, "-q")
    assert code == 0
    _, nodes = out.split("\n\n", 1)
    assert (
        nodes
        == """\
Node 1: C = p — 4 cases, as a leaf no with 1 wrong
  subtree: 3·U(0,3) + 1·U(0,1) = 1.110 + 0.750 = 1.860 errors expected
  leaf:    4·U(1,4) = 4·0.543 = 2.172 errors expected
  ⇒ 2.172 > 1.860 + 0.1: kept

Node 0: all cases — 8 cases, as a leaf no with 3 wrong
  subtree: subtree 1 + 2·U(0,2) + 2·U(0,2) = 1.860 + 1.000 + 1.000 = 3.860 errors expected
  leaf:    8·U(3,8) = 8·0.556 = 4.448 errors expected
  branch:  all 8 cases in node 1: 6·U(1,6) + 2·U(0,2) = 3.304 errors expected
  ⇒ 3.304 ≤ 3.860 + 0.1: replaced by its largest branch, node 1: C = p, and compared again

Node 0: all cases, again — 8 cases, as a leaf no with 3 wrong
  subtree: 6·U(1,6) + 2·U(0,2) = 2.304 + 1.000 = 3.304 errors expected
  leaf:    8·U(3,8) = 8·0.556 = 4.448 errors expected
  ⇒ 4.448 > 3.304 + 0.1: kept

"""
    )


def test_json_has_the_estimates_of_the_branch(treecli: Runner) -> None:
    found = json.loads(treecli("trace", *WORDS, "-q", "-f", "json").out)["pruning"]
    assert [own["decision"] for own in found] == ["kept", "raised", "kept"]
    below, root, again = found
    assert below["subtree"] == pytest.approx(3 * limit(0, 3) + limit(0, 1))
    assert root["subtree"] == pytest.approx(below["subtree"] + 4 * limit(0, 2))
    assert root["leaf"] == again["leaf"] == pytest.approx(8 * limit(3, 8))
    assert root["branch"] == again["subtree"] == pytest.approx(6 * limit(1, 6) + 2 * limit(0, 2))


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_documents_say_what_raising_is(treecli: Runner, form: str) -> None:
    code, out, _ = treecli("trace", *WORDS, "-q", "-f", form)
    assert code == 0
    assert "may also be replaced by its largest branch" in out
    assert "compared again" in out


def test_without_raising_the_tree_is_compared_with_leaves_only(treecli: Runner) -> None:
    code, out, _ = treecli("trace", *WORDS, "--no-raise", "-q")
    assert code == 0
    assert "branch" not in out


def test_the_trace_ends_with_the_tree_that_train_grows(treecli: Runner) -> None:
    out = treecli("train", "rows.csv", "--criterion", "gain", "--prune", "pessimistic", "-q").out
    assert out.startswith("A = p: no (6.0/1.0)\nA = q: yes (2.0)\n")
