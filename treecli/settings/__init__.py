"""Settings of a learner: how a tree is grown and how it predicts, in eight groups.

A setting has one flat name, used as its key in model files and by presets, `Settings.of` and `Settings.changed`.
It is the name of the field, except that the policy for missing values is `settings.missing.policy` in Python and
"missing" everywhere else. Each field either declares the option that sets it, or is declared `without_option`: part
of another program's behaviour, which `--like` sets as a whole.
"""

from __future__ import annotations

from dataclasses import Field, field, fields, replace
from functools import cache
from typing import Any

from treecli.options.option import ATTRIBUTES, CLASSES, GENERAL, MISSING, SEARCH, SPLITS, STOPPING, Option
from treecli.records import dataclass
from treecli.settings.growing import Computing, Missing, Splitting, Stopping
from treecli.settings.predicting import Predicting
from treecli.settings.record import LATER, WIRE
from treecli.settings.searching import Inputs, Sampling, Searching


@dataclass(frozen=True, slots=True)
class Settings:
    """How a tree is grown and how it predicts; the defaults grow the textbook's full tree."""

    splitting: Splitting = field(default_factory=Splitting)
    stopping: Stopping = field(default_factory=Stopping)
    missing: Missing = field(default_factory=Missing)
    predicting: Predicting = field(default_factory=Predicting)
    computing: Computing = field(default_factory=Computing)
    searching: Searching = field(default_factory=Searching)
    inputs: Inputs = field(default_factory=Inputs)
    sampling: Sampling = field(default_factory=Sampling)

    @classmethod
    def of(cls, **values: Any) -> Settings:
        """Return the default settings, changed for the given flat names."""
        return cls().changed(**values)

    def changed(self, **values: Any) -> Settings:
        """Return a copy with other values for the given flat names."""
        by_group: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            if key not in PLACES:
                raise TypeError(f"there is no setting '{key}'")
            group, name = PLACES[key]
            by_group.setdefault(group, {})[name] = value
        return replace(self, **{group: replace(getattr(self, group), **own) for group, own in by_group.items()})

    def value(self, key: str) -> Any:
        """Return the value of the setting with this flat name."""
        group, name = PLACES[key]
        return getattr(getattr(self, group), name)

    def flat(self) -> dict[str, Any]:
        """Return all values by flat name, in the order of a model file."""
        return {key: self.value(key) for key in WIRE}


GROUPS: dict[str, type[Any]] = {
    "splitting": Splitting,
    "stopping": Stopping,
    "missing": Missing,
    "predicting": Predicting,
    "computing": Computing,
    "searching": Searching,
    "inputs": Inputs,
    "sampling": Sampling,
}

HEADINGS = {
    "splitting": SPLITS,
    "stopping": STOPPING,
    "missing": MISSING,
    "predicting": CLASSES,
    "computing": GENERAL,
    "searching": SEARCH,
    "inputs": ATTRIBUTES,
    "sampling": ATTRIBUTES,
}
"""The heading of each group's options in `--help`, unless a field declares its own."""

FIELDS: dict[str, tuple[str, Field[Any]]] = {
    own.metadata.get("key") or own.name: (group, own) for group in GROUPS for own in fields(GROUPS[group])
}
"""The group and the field of each flat name."""

PLACES = {key: (group, own.name) for key, (group, own) in FIELDS.items()}
"""The group of each flat name, and the name of the field there."""

NO_OPTION = "no option yet"
"""Stands for the option of a setting whose choices are members of an empty family."""


def recorded(settings: Settings) -> dict[str, Any]:
    """Return the settings as written to a model file."""
    usual = Settings()
    return {key: value for key, value in settings.flat().items() if key not in LATER or value != usual.value(key)}


@cache
def options() -> dict[str, Option]:
    """Return the options that set single settings, by flat name, in the order of the fields."""
    found = {}
    for key, (group, own) in FIELDS.items():
        typed = own.metadata.get("typed")
        if typed is not None:
            flag = own.metadata["flag"] or f"--{key.replace('_', '-')}"
            heading = typed["heading"] or HEADINGS[group]
            found[key] = Option(key=key, flag=flag, default=own.default, **typed | {"heading": heading})
    return found


def set_by(key: str) -> str:
    """Return the option that sets a setting: its own, or that of `by`, such as --like."""
    return options()[key].flag if key in options() else str(FIELDS[key][1].metadata.get("by", NO_OPTION))
