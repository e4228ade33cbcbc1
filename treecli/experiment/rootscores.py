"""The score of every attribute at the root, by the criteria that `train` offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treecli import plugins
from treecli.grow.observe import described
from treecli.grow.plan import plan_of
from treecli.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treecli.data import Dataset
    from treecli.grow.candidates import Candidates

ENGINE = "memory"


def root_scores(dataset: Dataset, jobs: int | None = None) -> list[dict[str, Any]]:
    """The scores of each attribute's best split at the root, with the usual settings; None where there is no split.

    Nominal target: gain, gain ratio, gini decrease, and Pearson's chi-square with its degrees of freedom and p-value.
    Numeric target: the reduction of the variance. The threshold is that of the first of them.
    """
    dataset = dataset.with_lowest_values_joined()
    if not dataset.schema.is_classification:
        return [
            _threshold(dataset, a, c) | {"variance_reduction": _gain(c)}
            for a, c in _candidates(dataset, "variance", jobs)
        ]
    scores = []
    # The splits by gain and by gain ratio are the same, as are those by gini and by chi-square.
    for (a, by_entropy), (_, by_gini) in zip(
        _candidates(dataset, "gain", jobs), _candidates(dataset, "chi2", jobs), strict=True
    ):
        gain, info = _gain(by_entropy), float(by_entropy.split_info[0])
        decrease = _gain(by_gini)
        own: dict[str, Any] = _threshold(dataset, a, by_entropy)
        own |= {"gain": gain, "gain_ratio": None if gain is None or info <= 0 else gain / info}
        own |= {"gini_decrease": decrease, "chi2": None, "chi2_df": None, "chi2_p": None}
        if decrease is not None:
            own["chi2"] = float(by_gini.test.chi2[0])
            own["chi2_df"] = int(by_gini.test.freedom[0])
            own["chi2_p"] = float(by_gini.test.p_values()[0])
        scores.append(own)
    return scores


def _candidates(dataset: Dataset, criterion: str, jobs: int | None) -> Sequence[tuple[int, Candidates]]:
    plan = plan_of(Settings.of(criterion=criterion), dataset)
    engine = plugins.load("engines", ENGINE).Engine(dataset, plan, jobs)
    try:
        level = engine.root()
        found = engine.map(lambda a: engine.candidates(level, a), range(len(dataset.schema.attributes)), level.n_cases)
    finally:
        engine.close()
    return list(enumerate(found))


def _gain(candidate: Candidates) -> float | None:
    gain = float(candidate.gain[0])
    return gain if np.isfinite(gain) else None


def _threshold(dataset: Dataset, attribute: int, candidate: Candidates) -> dict[str, Any]:
    """The threshold of a split of numbers, or the greatest label of its first branch if the attribute is ordinal."""
    if _gain(candidate) is None or dataset.schema.attributes[attribute].kind == "nominal":
        return {"threshold": None}
    return {"threshold": described(candidate, attribute, 0, dataset.schema).get("at_most")}
