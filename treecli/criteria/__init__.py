"""Split criteria: each is a module with a CRITERION."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from treecli import plugins
from treecli.errors import UsageError, did_you_mean
from treecli.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import FloatArray, Schema
    from treecli.settings import Settings

    FlagArray = NDArray[np.bool_]


GAIN = "gain"
EG2 = "eg2"


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
    if not schema.is_classification:
        return "variance"
    return settings.splitting.usual_criterion if settings.inputs.attribute_costs is None else GAIN


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
    if settings.inputs.attribute_costs is None:
        return name, criterion
    if name != GAIN:
        raise UsageError(
            f"--attribute-costs ranks by information gain, not by '{name}'",
            f"leave it out, or say --type {schema.target.name}=nominal"
            if criterion.target == "numeric"
            else "use --criterion gain, without --like",
        )
    if settings.splitting.splits:
        raise UsageError("--attribute-costs and --splits exclude each other: derived columns have no cost")
    return name, replace(criterion, merit=merit_by_cost(settings, schema))


def merit_by_cost(settings: Settings, schema: Schema) -> Callable[[FloatArray, FloatArray, FlagArray], FloatArray]:
    """The function that ranks candidates by their gain and the cost of their attribute."""
    given = dict(settings.inputs.attribute_costs or ())
    method, weight = settings.inputs.cost_method, settings.inputs.cost_weight
    for attribute in schema.attributes:
        if attribute.name not in given:
            raise UsageError(f"--attribute-costs: no cost for '{attribute.name}'", did_you_mean(attribute.name, given))
        if method != EG2 and given[attribute.name] == 0:
            raise UsageError(
                f"--cost-method {method}: the cost of '{attribute.name}' is 0, expected more", "use --cost-method eg2"
            )
    costs = [given[attribute.name] for attribute in schema.attributes]

    def merit(gain: FloatArray, split_info: FloatArray, is_counted: FlagArray) -> FloatArray:
        import numpy as np

        cost, possible = np.array(costs)[:, None], np.maximum(gain, 0.0)
        if method == EG2:  # Núñez 1991
            found = (2.0**possible - 1.0) / (cost + 1.0) ** weight
        else:  # Norton 1989; Tan and Schlimmer 1990
            found = (possible if method == "idx" else possible**2) / cost
        return np.where(np.isfinite(gain), found, -np.inf)

    return merit
