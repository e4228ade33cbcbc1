"""Split criteria: each is a module with a CRITERION."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treecli import plugins
from treecli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray, Schema
    from treecli.settings import Settings

    FlagArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Criterion:
    """An impurity for one kind of target, and the ranking of candidate splits by it.

    Candidates are ranked by gain; by gain ratio (`is_ratio`); by the p-values of chi-square tests, equal ones by the
    statistic (`is_test`); or by `merit`, a function of the gain and the split information of every attribute (rows) at
    every node (columns), with a gain of -inf if there is no split, and of whether an attribute counts in averages. It
    returns the merit to maximize, -inf for excluded candidates.
    """

    target: Literal["nominal", "numeric"]
    impurity: str
    merit: Callable[[FloatArray, FloatArray, FlagArray], FloatArray] | None = None
    is_ratio: bool = False
    is_test: bool = False


def usual_criterion(settings: Settings, schema: Schema) -> str:
    """The name of the default criterion for this kind of target."""
    return settings.splitting.usual_criterion if schema.is_classification else "variance"


def criterion_for(settings: Settings, schema: Schema) -> tuple[str, Criterion]:
    """The criterion of the settings, or the default for this kind of target, with its name."""
    name = settings.splitting.criterion or usual_criterion(settings, schema)
    criterion: Criterion = plugins.load("criteria", name).CRITERION
    if (criterion.target == "nominal") != schema.is_classification:
        fitting = [
            n for n in plugins.names("criteria") if plugins.load("criteria", n).CRITERION.target != criterion.target
        ]
        kind = "nominal" if schema.is_classification else "numeric"
        raise UsageError(
            f"criterion '{name}' is for a {criterion.target} target, but '{schema.target.name}' is {kind}",
            f"use {' or '.join(fitting)}, or add --type {schema.target.name}={criterion.target}",
        )
    return name, criterion
