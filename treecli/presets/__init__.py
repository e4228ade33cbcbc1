"""Learners of other programs, each as a table of settings.

SETTINGS names fields of Settings. If the program prunes, PRUNING is the method with its options. SETTINGS_WITH has, for
a pruning method, the settings that the program changes when growing for it. TUNE_FOLD is the number of folds, one of
which is held out. BOOSTING is the program's own way of boosting, if it has one. FOLLOWING gives settings that depend on
others, with the factor.
"""

from __future__ import annotations

from typing import Any, Protocol

from treecli import plugins
from treecli.settings import Settings


class Preset(Protocol):
    """A member of this family."""

    SETTINGS: dict[str, Any]


NO_PRUNING: tuple[str, dict[str, Any]] = ("none", {})


def settings_like(name: str) -> Settings:
    """The settings with which that program grows trees."""
    return Settings.of(**plugins.load("presets", name).SETTINGS)


def pruning_like(name: str) -> tuple[str, dict[str, Any]]:
    """The pruning method of that program, with its options."""
    pruning: tuple[str, dict[str, Any]] = getattr(plugins.load("presets", name), "PRUNING", NO_PRUNING)
    return pruning


def settings_with(name: str, method: str) -> dict[str, Any]:
    """The settings that the program changes when it grows a tree for this pruning method."""
    changes: dict[str, dict[str, Any]] = getattr(plugins.load("presets", name), "SETTINGS_WITH", {})
    return changes.get(method, {})


def tune_fold_like(name: str) -> int | None:
    """The number of folds, one of which that program holds out for pruning."""
    n_folds: int | None = getattr(plugins.load("presets", name), "TUNE_FOLD", None)
    return n_folds


def boosting_like(name: str) -> str | None:
    """The way in which that program boosts trees; None: AdaBoost.M1."""
    way: str | None = getattr(plugins.load("presets", name), "BOOSTING", None)
    return way


def following(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The settings that follow from the given ones: those times a factor, rounded."""
    rules: dict[str, tuple[str, float]] = getattr(plugins.load("presets", name), "FOLLOWING", {})
    return {
        follower: float(round(given[leader] * factor))
        for follower, (leader, factor) in rules.items()
        if leader in given and follower not in given
    }
