from __future__ import annotations

from math import inf, nan

import pytest

from tests import example_models
from tests.example_models import Inner, model_of
from treecli.errors import UsageError
from treecli.model import TreeModel
from treecli.pruners.min_error import Options, prune, static_error
from treecli.splits import multiway
from treecli.tree import Tree

NO, YES = 5 / 14, 9 / 14


def pruned(model: TreeModel, m: float = 2.0) -> Tree:
    return prune(model, Options(m), None)


def outlook() -> TreeModel:
    """The 14 days by outlook alone: sunny 3 no, 2 yes; overcast 4 yes; rain 2 no, 3 yes."""
    return model_of(example_models.PLAYTENNIS, Inner(multiway.Split(0, 3), ((3.0, 2.0), (0.0, 4.0), (2.0, 3.0))))


@pytest.mark.parametrize(
    ("n_right", "n", "share", "m", "error"),
    [
        (9, 14, YES, 2, 0.357143),  # the root's own share is the prior, so m does not matter
        (3, 5, NO, 2, 0.469388),  # 1 - (3 + 2 · 5/14) / 7
        (4, 4, YES, 2, 0.119048),  # 1 - (4 + 2 · 9/14) / 6
        (3, 5, YES, 2, 0.387755),
        (3, 5, NO, 10, 0.561905),
        (4, 4, YES, 10, 0.255102),
        (3, 5, YES, 10, 0.371429),
        (9, 14, 1 / 2, 2, 0.375),  # Laplace's estimate: as many cases more as there are classes, all alike
        (3, 4, 0.5, 0, 0.25),  # without a prior just what was seen
        (0, 0, 0.5, 0, 0.0),  # nobody came, and nothing is assumed
    ],
)
def test_the_expected_error_is_the_m_estimate(n_right: float, n: float, share: float, m: float, error: float) -> None:
    assert static_error(n_right, n, share, m) == pytest.approx(error, abs=5e-7)


def test_a_split_stays_if_its_branches_are_expected_to_be_wrong_less_often() -> None:
    # (5 · 0.469388 + 4 · 0.119048 + 5 · 0.387755) / 14 = 0.340136 against 0.357143.
    assert pruned(outlook()) == outlook().tree


def test_a_strong_prior_prunes_more() -> None:
    # (5 · 0.561905 + 4 · 0.255102 + 5 · 0.371429) / 14 = 0.406220 against 0.357143.
    assert pruned(outlook(), m=10.0).n_leaves == 1


def test_without_a_prior_only_splits_that_lower_no_error_go() -> None:
    schema = example_models.PLAYTENNIS
    idle = Inner(multiway.Split(3, 2), ((1.0, 3.0), (1.0, 4.0)))
    model = model_of(schema, Inner(multiway.Split(2, 2), (idle, (4.0, 1.0))))
    assert pruned(model, m=0.0) == model.tree.collapsed(lambda node: node == 1)


@pytest.mark.parametrize("m", [-1.0, inf, nan])
def test_an_m_that_is_no_number_of_cases_is_refused(m: float) -> None:
    with pytest.raises(UsageError, match=r"--m .*: expected a number of 0 or more"):
        Options(m)
