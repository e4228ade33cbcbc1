"""What holds for every scorer: the members of the protocol, and which settings each refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.growing import AtRoot, numeric_table
from treecli import plugins
from treecli.criteria import Criterion
from treecli.kernels import codes
from treecli.presets import settings_like
from treecli.scorers import Scorer
from treecli.settings import Settings

MEMBERS = sorted(name for name in vars(Scorer) if not name.startswith("_"))
BY_GINI = Criterion("nominal", "gini")
BY_RATIO = Criterion("nominal", "entropy", is_ratio=True)
OWN_MERIT = Criterion("nominal", "gini", merit=lambda gain, split_info, is_counted: gain)


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("name", plugins.names("scorers"))
def test_a_scorer_offers_the_whole_protocol(name: str, member: str) -> None:
    assert callable(getattr(plugins.load("scorers", name), member))


def refusal(name: str, settings: Settings, criterion: Criterion) -> str | None:
    policy = plugins.load("missing", settings.missing.policy).POLICY
    reason: str | None = plugins.load("scorers", name).refuses(settings, criterion, policy)
    return reason


@pytest.mark.parametrize(
    ("name", "criterion"),
    [("sums", BY_GINI), ("rpart", BY_GINI), ("sklearn", BY_GINI), ("c45", BY_RATIO), ("c50", BY_RATIO)],
)
def test_a_scorer_serves_the_program_whose_arithmetic_it_has(name: str, criterion: Criterion) -> None:
    assert refusal(name, settings_like("cart" if name == "sums" else name), criterion) is None


@pytest.mark.parametrize(
    ("name", "criterion", "changes", "reason"),
    [
        ("rpart", BY_RATIO, {}, "gain ratio is not computed in rpart's arithmetic"),
        ("rpart", Criterion("nominal", "gini", is_test=True), {}, "p-values are not computed"),
        ("rpart", OWN_MERIT, {}, "the criterion's own merit"),
        ("rpart", Criterion("nominal", "error"), {}, "no impurity 'error'"),
        ("rpart", BY_GINI, {"missing": "branch"}, "missing values are no value"),
        ("rpart", BY_GINI, {"missing": "fractional"}, "a case takes one branch"),
        ("rpart", BY_GINI, {"nominal": "multiway"}, "groups labels in two"),
        ("rpart", BY_GINI, {"threshold": "mean"}, "halfway between values"),
        ("rpart", BY_GINI, {"discretize": "width:3"}, "no bins"),
        ("rpart", BY_GINI, {"chi2_alpha": 0.05}, "no chi-square test"),
        ("rpart", BY_GINI, {"value_gap": 0.1}, "any two values"),
        ("rpart", BY_GINI, {"branch_share": 0.1}, "no share of the cases"),
        ("rpart", BY_GINI, {"cut_cost": True}, "a threshold costs nothing"),
        ("sklearn", BY_RATIO, {}, "gain ratio is not computed in scikit-learn's arithmetic"),
        ("sklearn", Criterion("nominal", "gini", is_test=True), {}, "p-values are not computed"),
        ("sklearn", OWN_MERIT, {}, "the criterion's own merit"),
        ("sklearn", BY_GINI, {"branch_share": 0.1}, "no share of the cases"),
        ("sklearn", BY_GINI, {"cut_cost": True}, "a threshold costs nothing"),
        ("c45", BY_GINI, {}, "ranks by gain ratio"),
        ("c45", BY_RATIO, {"missing": "majority"}, "takes all branches"),
        ("c45", BY_RATIO, {"nominal": "binary"}, "each label has a branch"),
        ("c45", BY_RATIO, {"threshold": "midpoint"}, "values of the data"),
        ("c45", BY_RATIO, {"discretize": "width:3"}, "no bins"),
        ("c45", BY_RATIO, {"chi2_alpha": 0.05}, "no chi-square test"),
        ("c45", BY_RATIO, {"priors": "equal"}, "no priors"),
        ("c45", BY_RATIO, {"costs": ((0.0, 1.0), (1.0, 0.0))}, "no costs"),
        ("c45", BY_RATIO, {"cut_cost": False}, "a threshold has a cost"),
        ("c45", BY_RATIO, {"counts_rows": True}, "counts weights, not rows"),
        ("c45", BY_RATIO, {"is_strict": True}, "takes the lower branch"),
        ("c50", BY_GINI, {}, "ranks by gain ratio"),
        ("medians", BY_GINI, {}, "no impurity 'gini'"),
    ],
)
def test_a_scorer_says_what_it_cannot_do(name: str, criterion: Criterion, changes: dict[str, Any], reason: str) -> None:
    settings = settings_like("cart" if name == "medians" else name).changed(**changes)
    assert reason in (refusal(name, settings, criterion) or "")


def test_medians_rank_by_the_tolerance_or_in_scikit_learns_arithmetic_to_the_last_bit() -> None:
    # Both columns separate 0 and 3 from 10 and 14: 3 + 4 of the error 21 are left.
    dataset = numeric_table([[1.0, 2, 3, 4], [2.0, 1, 4, 3]], [0.0, 3.0, 10.0, 14.0])
    expected = {"sums": (codes.SUMS, [3.5, 3.5], 1e-9 * 21 / 4), "remainders": (codes.SKLEARN, [-7.0, -7.0], 0.0)}
    for name, (arithmetic, merit, slack) in expected.items():
        root = AtRoot(dataset, Settings.of(criterion="absolute", arithmetic=name))
        candidates = [root.candidates(attribute) for attribute in range(2)]
        gain = np.array([c.gain for c in candidates])
        ranking = root.plan.scorer.rank(candidates, gain, root.level, root.plan)
        assert root.plan.arithmetic == arithmetic
        assert ranking.merit[:, 0].tolist() == merit
        assert ranking.slack == pytest.approx(slack)
        assert ranking.score[:, 0].tolist() == [3.5, 3.5]
        ranking = root.plan.scorer.rank(candidates, np.array([[-np.inf], [3.5]]), root.level, root.plan)
        assert ranking.merit[:, 0].tolist() == [-np.inf, merit[1]]
