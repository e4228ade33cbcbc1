"""Checks that searches share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli import plugins
from treecli.errors import UsageError
from treecli.options.sampling import ALL
from treecli.settings import set_by
from treecli.settings.growing import RANDOM

if TYPE_CHECKING:
    from treecli.criteria import Criterion
    from treecli.settings import Settings


GREEDY_ONLY = ("force", "monotone", "attribute_costs", "winnow")
"""Settings that take effect where a node takes the split that is best by itself."""


def check_sums(settings: Settings) -> None:
    """Raise a UsageError unless splits are scored by the decrease of an impurity that sums of weights give."""
    name = f"--search {settings.searching.search}"
    for key in GREEDY_ONLY:
        if settings.value(key):
            raise UsageError(f"{name} and {set_by(key)} exclude each other", "leave one of them out")
    if settings.splitting.criterion is not None:
        criterion: Criterion = plugins.load("criteria", settings.splitting.criterion).CRITERION
        if criterion.is_test or criterion.merit is not None or criterion.impurity == "absolute":
            raise UsageError(
                f"{name} and --criterion {settings.splitting.criterion} exclude each other",
                "use gain, gainratio, gini, error or variance",
            )
    if settings.stopping.chi2_alpha is not None:
        raise UsageError(f"{name} and --chi2-alpha exclude each other: the test is of one split by itself")
    if settings.sampling.features != ALL:
        raise UsageError(
            f"{name} and --features exclude each other", "leave one of them out; for a forest say --features all"
        )
    if settings.splitting.threshold == RANDOM:
        raise UsageError(f"{name} and --threshold {RANDOM} exclude each other", "leave one of them out")
    if settings.splitting.splits:
        raise UsageError(f"{name} and --splits exclude each other", "leave one of them out")
