"""Themes of random worksheets: the names of attributes, labels and classes."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from treecli.data import Attribute, Dataset, Schema
from treecli.errors import DataError, UsageError
from treecli.files import guard
from treecli.wording import counted
from treecli.worksheets.sampling import Drawn

WEATHER = "weather"

FEWEST_ATTRIBUTES, MOST_LABELS = 2, 6


@dataclass(frozen=True, slots=True)
class Theme:
    """The target with its two classes, and the attributes with their labels."""

    target: str
    classes: tuple[str, str]
    attributes: tuple[tuple[str, tuple[str, ...]], ...]

    def first(self, n: int, name: str) -> Theme:
        """Return the theme with its first attributes only."""
        if n > len(self.attributes):
            raise UsageError(
                f"--attributes {n}: the theme {name} has {counted(len(self.attributes), 'attribute')}",
                "use fewer, or a theme of your own by --theme FILE.toml",
            )
        return Theme(self.target, self.classes, self.attributes[:n])

    @property
    def n_labels(self) -> tuple[int, ...]:
        """The number of labels of each attribute."""
        return tuple(len(labels) for _, labels in self.attributes)

    def dataset(self, drawn: Drawn) -> Dataset:
        """Return drawn codes with the names of the theme."""
        attributes = tuple(Attribute(name, "nominal", labels) for name, labels in self.attributes)
        rows = np.array(drawn.rows, np.int32)
        return Dataset(
            Schema(attributes, Attribute(self.target, "nominal", self.classes)),
            [np.ascontiguousarray(rows[:, place]) for place in range(len(attributes))],
            np.array(drawn.classes, np.int32),
            np.ones(len(rows)),
        )


_WEATHER = Theme(
    "GoOut",
    ("no", "yes"),
    (
        ("Weather", ("sun", "cloud", "rain")),
        ("Company", ("alone", "friends")),
        ("Distance", ("near", "far")),
        ("Budget", ("low", "high")),
        ("Day", ("weekday", "weekend")),
        ("Mood", ("tired", "cheerful")),
    ),
)


def theme(name: str) -> Theme:
    """Return the theme `weather`, or that of a TOML file."""
    if name == WEATHER:
        return _WEATHER
    if not name.lower().endswith(".toml"):
        raise UsageError(f"--theme: found '{name}', expected {WEATHER} or a file that ends with .toml")
    try:
        with guard.open_input(name) as stream:
            record = tomllib.loads(stream.read().decode())
    except OSError as error:
        raise DataError(f"{name}: cannot be read as a theme: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: cannot be read as a theme: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{name}: cannot be read as a theme: {error}") from error
    return _read(record, name)


EXAMPLE = 'target = "Buys", classes = ["no", "yes"], and a table [attributes] with lines as Price = ["low", "high"]'


def _read(record: dict[str, Any], name: str) -> Theme:
    unknown = set(record) - {"target", "classes", "attributes"}
    if unknown:
        raise DataError(f"{name}: found the key '{min(unknown)}', expected target, classes and attributes")
    target, classes, attributes = record.get("target"), record.get("classes"), record.get("attributes")
    if not isinstance(target, str) or not target:
        raise DataError(f"{name}: found no name as 'target'", f"a theme has {EXAMPLE}")
    if not _are_labels(classes, 2, 2):
        raise DataError(f"{name}: found no two labels as 'classes'", f"a theme has {EXAMPLE}")
    if not isinstance(attributes, dict) or len(attributes) < FEWEST_ATTRIBUTES:
        raise DataError(f"{name}: found fewer than two attributes in the table 'attributes'", f"a theme has {EXAMPLE}")
    for attribute, labels in attributes.items():
        if not _are_labels(labels, 2, MOST_LABELS):
            raise DataError(f"{name}: '{attribute}': expected a list of 2 to {MOST_LABELS} different labels")
        if attribute == target:
            raise DataError(f"{name}: '{attribute}' is the target and an attribute")
    return Theme(target, (classes[0], classes[1]), tuple((own, tuple(labels)) for own, labels in attributes.items()))


def _are_labels(labels: Any, fewest: int, most: int) -> TypeGuard[list[str]]:
    return (
        isinstance(labels, list)
        and fewest <= len(labels) <= most
        and all(isinstance(label, str) and label for label in labels)
        and len(set(labels)) == len(labels)
    )
