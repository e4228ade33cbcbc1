"""The rows of a data set on which two models differ, and the regions where they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treecli.difference.regions import Comparison, conditions, joint_predictions
from treecli.evaluate.mcnemar import mcnemar
from treecli.rules.predict import deciding
from treecli.rules.rule import BY_CONDITION, Rule
from treecli.rules.rulelist import RuleList
from treecli.settings import Settings

if TYPE_CHECKING:
    from typing import Any

    from treecli.data import Dataset


@dataclass(frozen=True, slots=True)
class Tally:
    """Rows on which the models differ, and how many of them each predicts correctly; None without true values.

    For a numeric target, the correct one is the one that is closer.
    """

    n: int
    a_right: int | None
    b_right: int | None


@dataclass(frozen=True, slots=True)
class RowDifferences:
    """The rows of a data set: all of those that differ, those of each region, and those of none."""

    n: int
    together: Tally
    by_region: list[Tally]
    n_outside: int

    @property
    def p(self) -> float | None:
        """The p-value of McNemar's exact test; None without true values."""
        only_a, only_b = self.together.a_right, self.together.b_right
        return None if only_a is None or only_b is None else mcnemar(only_a, only_b)


def row_differences(
    comparison: Comparison, dataset: Dataset, tolerance: float, jobs: int | None = None
) -> RowDifferences:
    """Return the rows, under the joint schema, on which the predictions differ; numbers by more than the tolerance."""
    import numpy as np

    a, b = (joint_predictions(side, dataset, jobs) for side in comparison.sides)
    is_numeric = dataset.schema.target.is_numeric
    rows = np.flatnonzero(np.abs(a - b) > tolerance if is_numeric else a != b)
    different, n_regions = dataset.take(rows), len(comparison.regions)
    region_of_row = deciding(_as_rules(comparison), different, jobs)
    rights: list[Any] = [None, None]
    if different.target is not None:
        of_a, of_b, truth = a[rows], b[rows], different.target
        if is_numeric:
            off_a, off_b = np.abs(of_a - truth), np.abs(of_b - truth)
            rights = [off_a < off_b, off_b < off_a]
        else:
            rights = [of_a == truth, of_b == truth]

    def counted(among: Any) -> list[int]:
        found: list[int] = np.bincount(region_of_row[among], minlength=n_regions + 1).tolist()
        return found

    n_of = counted(slice(None))
    right_of = [[None] * (n_regions + 1) if right is None else counted(right) for right in rights]
    by_region = [Tally(*both) for both in zip(n_of[:-1], *(right[:-1] for right in right_of), strict=True)]
    together = Tally(len(rows), *(None if right is None else int(right.sum()) for right in rights))
    return RowDifferences(dataset.n_rows, together, by_region, n_of[-1])


def _as_rules(comparison: Comparison) -> RuleList:
    """Return the regions as rules, so that the rules' index finds the region of a row."""
    space = comparison.space
    settings = Settings.of(unseen=BY_CONDITION) if space.tells_unseen else Settings()
    rules = tuple(Rule(tuple(conditions(region, space))) for region in comparison.regions)
    return RuleList(space.schema, settings, (), rules, Rule(()))
