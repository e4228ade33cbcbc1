"""The settings in a model file, validated when read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import inf
from typing import Any, get_type_hints

import msgspec

from treecli import plugins
from treecli.criteria import criterion_for
from treecli.data import Schema
from treecli.discretizers import NONE, discretizer
from treecli.errors import ModelError, UsageError, did_you_mean
from treecli.grow.searching import search_of
from treecli.options.directions import direction_of
from treecli.options.projections import checked_projection
from treecli.options.sampling import checked_features
from treecli.priors import check
from treecli.settings import GROUPS, PLACES, Settings
from treecli.settings.growing import PROPOSED, THRESHOLDS, arithmetics
from treecli.settings.predicting import LEAF_MODELS, UNSEEN_POLICIES
from treecli.settings.record import WIRE
from treecli.settings.searching import COST_METHODS, GREEDY


@cache
def _place() -> type[Any]:
    """Return the type of the settings in a file, all optional, in a wrapper: msgspec's messages include their place."""
    types = {group: get_type_hints(own) for group, own in GROUPS.items()}
    fields = [(key, types[group][field], None) for key, (group, field) in PLACES.items()]
    return msgspec.defstruct("Place", [("settings", msgspec.defstruct("SettingsRecord", fields))])


_LIMITS = {
    **dict.fromkeys(("max_depth", "min_split", "min_gain", "tolerance", "value_gap", "branch_share"), (0.0, inf)),
    **dict.fromkeys(("most_branch_share", "many_labels", "least_share", "pure_impurity", "leaf_rate"), (0.0, inf)),
    **dict.fromkeys(("max_surrogates", "competitors", "most_exhaustive"), (0, 2**31 - 1)),
    **dict.fromkeys(("chi2_alpha", "merge_alpha", "cost_weight", "pure_share", "collapse_share"), (0.0, 1.0)),
    **dict.fromkeys(("penalty", "time_limit", "ties"), (0.0, inf)),
    "min_leaf": (0.0, inf),
    "max_leaves": (1, inf),
    "beam": (1, inf),
    "most_work": (0.0, inf),
    "skew": (0.5, 1.0),
    "skew_gain": (0.0, 1.0),
    "seed": (0, inf),
    "cp": (-inf, inf),
}
"""The smallest and largest value of each numeric setting."""


def settings_of(record: dict[str, Any], schema: Schema, name: str) -> Settings:
    """Return the settings in a file; raise a ModelError if they are invalid for the schema.

    `name` is the file's name in messages.
    """
    try:
        typed = msgspec.convert({"settings": record}, type=_place()).settings
    except msgspec.ValidationError as error:
        raise ModelError(f"{name}: {error}") from error
    for key in record:
        if key not in WIRE:
            raise ModelError(f"{name}: settings: unknown '{key}'", did_you_mean(key, WIRE))
    settings = Settings.of(**{key: getattr(typed, key) for key in record})
    _check(settings, schema, name)
    return settings


def _check(settings: Settings, schema: Schema, name: str) -> None:
    for key, known in _choices().items():
        _check_choice(key, settings.value(key), known, name)
    if schema.derived and settings.predicting.single_precision:
        raise ModelError(f"{name}: settings: 'single_precision' and derived columns exclude each other")
    for kind in settings.splitting.splits or ():
        _check_choice("splits", kind, PROPOSED.known, name)
    for key, (least, most) in _LIMITS.items():
        number = settings.value(key)
        if number is not None and not least <= number <= most:
            raise ModelError(f"{name}: settings: '{key}' is {number}, expected {_range(least, most)}")
    try:
        if settings.splitting.criterion is not None:
            criterion_for(settings, schema)
        if settings.splitting.discretize != NONE:
            discretizer(settings.splitting.discretize)
        if settings.searching.search != GREEDY:
            search_of(settings.searching.search)
        if settings.inputs.project is not None:
            checked_projection(settings.inputs.project)
        checked_features(settings.sampling.features)
        for word in settings.inputs.monotone or ():
            direction_of(word)
        check(settings.predicting.priors, settings.predicting.costs, schema.target.labels)
    except UsageError as error:
        raise ModelError(f"{name}: settings: {error}") from error


def _choices() -> dict[str, Sequence[str | None]]:
    """Return the choices of each setting whose value is a word."""
    criteria = plugins.names("criteria")
    return {
        "criterion": (None, *criteria),
        "usual_criterion": criteria,
        "nominal": plugins.names("nominal"),
        "threshold": THRESHOLDS,
        "missing": plugins.names("missing"),
        "unseen": UNSEEN_POLICIES,
        "arithmetic": arithmetics(),
        "cost_method": COST_METHODS,
        "leaf_model": LEAF_MODELS,
    }


def _check_choice(key: str, found: Any, known: Sequence[str | None], name: str) -> None:
    if found not in known:
        words = [word for word in known if word is not None]
        raise ModelError(
            f"{name}: settings: unknown '{found}' for '{key}' (known: {', '.join(words)})", did_you_mean(found, words)
        )


def _range(least: float, most: float) -> str:
    if most == inf:
        return f"a number from {least:g} on"
    return f"a number from {least:g} to {most:g}"
