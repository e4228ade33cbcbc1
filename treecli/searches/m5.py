"""Weka's M5P: cuts by the fifth root of the variance, in Weka's order of rows and sums; part of --like m5p."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.options.sampling import ALL
from treecli.searches._compatible import GREEDY_ONLY
from treecli.settings import set_by

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.nodes import Nodes
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.settings import Settings
    from treecli.threads import OnProgress, OnWarning

SUFFIX = None

SETTINGS = ()


def check(settings: Settings) -> None:
    """Raise a UsageError for settings that M5P does not have."""
    others = {
        "--criterion": settings.splitting.criterion not in (None, "sdr"),
        "--nominal": settings.splitting.nominal != "binary",
        "--splits": settings.splitting.splits is not None,
        "--discretize": settings.splitting.discretize != "none",
        "--threshold": settings.splitting.threshold != "midpoint",
        "--missing": settings.missing.policy != "majority",
        "--min-gain": settings.stopping.min_gain is not None,
        "--competitors": settings.computing.competitors > 0,
        "--ties": settings.computing.ties is not None,
        "--no-zero-gain": not settings.stopping.zero_gain,
        "--project": settings.inputs.project is not None,
        "--features": settings.sampling.features != ALL,
        **{set_by(key): bool(settings.value(key)) for key in GREEDY_ONLY},
    }
    for option, is_given in others.items():
        if is_given:
            raise UsageError(
                f"{option}: the search of M5P does not have it",
                "use --like m5p without it, or --leaf-model linear without --like",
            )


def grow(
    dataset: Dataset,
    plan: Plan,
    *,
    number: int | None = None,
    jobs: int | None = None,
    observers: Sequence[Observer] = (),
    on_progress: OnProgress | None = None,
    on_warning: OnWarning | None = None,
    on_note: OnWarning | None = None,
) -> Nodes:
    """Return the nodes of the tree in level order."""
    from treecli.modeltrees.growth import grown_like_weka

    return grown_like_weka(dataset, plan)
