"""Other programs' learners, each as a table of settings.

SETTINGS names fields of Settings. Where the program prunes, PRUNING is the method with its options; SETTINGS_WITH
names, for a pruning method, what the program does otherwise when growing for it; TUNE_FOLD is the number of folds of
which it holds one aside; FOLLOWING says which settings follow from others, and by which factor.
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
    """The settings under which that program grows its trees."""
    return Settings.of(**plugins.load("presets", name).SETTINGS)


def pruning_like(name: str) -> tuple[str, dict[str, Any]]:
    """The method by which that program prunes its trees, with its options."""
    pruning: tuple[str, dict[str, Any]] = getattr(plugins.load("presets", name), "PRUNING", NO_PRUNING)
    return pruning


def settings_with(name: str, method: str) -> dict[str, Any]:
    """What that program does otherwise when it grows a tree to be pruned by this method."""
    changes: dict[str, dict[str, Any]] = getattr(plugins.load("presets", name), "SETTINGS_WITH", {})
    return changes.get(method, {})


def tune_fold_like(name: str) -> int | None:
    """Of how many folds that program holds one aside to prune with."""
    n_folds: int | None = getattr(plugins.load("presets", name), "TUNE_FOLD", None)
    return n_folds


def following(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """What that program makes of settings that follow from others which were given: those times a factor, rounded."""
    rules: dict[str, tuple[str, float]] = getattr(plugins.load("presets", name), "FOLLOWING", {})
    return {
        follower: float(round(given[leader] * factor))
        for follower, (leader, factor) in rules.items()
        if leader in given and follower not in given
    }
