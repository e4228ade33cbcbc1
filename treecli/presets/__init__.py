"""Other programs' learners, each as a table of settings: SETTINGS, and PRUNING where it prunes.

SETTINGS names fields of Settings; PRUNING is a pruning method with its options.
"""

from __future__ import annotations

from typing import Any

from treecli import plugins
from treecli.settings import Settings

NO_PRUNING: tuple[str, dict[str, Any]] = ("none", {})


def settings_like(name: str) -> Settings:
    """The settings under which that program grows its trees."""
    return Settings(**plugins.load("presets", name).SETTINGS)


def pruning_like(name: str) -> tuple[str, dict[str, Any]]:
    """The method by which that program prunes its trees, with its options."""
    pruning: tuple[str, dict[str, Any]] = getattr(plugins.load("presets", name), "PRUNING", NO_PRUNING)
    return pruning
