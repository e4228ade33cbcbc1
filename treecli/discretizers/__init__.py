"""Discretization of a numeric attribute into bins, once, before a tree is grown: one module per method.

`bounds` takes the known values of an attribute in ascending order, their weights and, if CLASSES, their classes. It
returns the upper bound of every bin except the last. If COUNTED, the user gives the number of bins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from treecli import plugins
from treecli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from treecli.data import CodeArray, FloatArray

NONE = "none"
"""The choice that leaves numeric attributes undiscretized."""


class Discretizer(Protocol):
    """A member of this family."""

    COUNTED: bool
    CLASSES: bool

    def bounds(self, values: FloatArray, weights: FloatArray, classes: CodeArray, n_bins: int) -> FloatArray: ...


def discretizer(text: str) -> tuple[Discretizer, int]:
    """The method that a user's text names, and its number of bins: `frequency:10`, `mdlp`."""
    name, colon, number = text.partition(":")
    names = plugins.names("discretizers")
    if name not in names:
        known = ", ".join((NONE, *names))
        raise UsageError(f"--discretize: unknown '{name}' (known: {known})", did_you_mean(name, (NONE, *names)))
    found = cast("Discretizer", plugins.load("discretizers", name))
    if not found.COUNTED:
        if colon:
            raise UsageError(f"--discretize: '{name}' finds the number of bins itself", f"use --discretize {name}")
        return found, 0
    if not number.isdecimal() or int(number) < 2:
        raise UsageError(f"--discretize: '{text}', expected {name}:K with 2 bins or more", f"for example {name}:10")
    return found, int(number)
