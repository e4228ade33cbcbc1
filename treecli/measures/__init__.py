"""Measures of predictions: each is a module with the members of `Measure`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, cast

from treecli import plugins
from treecli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from treecli.evaluate.result import Result


class Measure(Protocol):
    """A member of this family; its file name is what users type, and the key in JSON."""

    TARGET: Literal["nominal", "numeric", "any"]
    LARGER_IS_BETTER: bool
    RANGE: tuple[float, float]
    NEEDS_PROBABILITIES: bool

    def of(self, result: Result, /) -> float | None:
        """Return the value, or None where it is not defined."""
        ...


def key(name: str) -> str:
    """Return the name of a measure in JSON: `log-loss` and `log_loss` are the same."""
    return name.replace("-", "_")


def measure(name: str) -> Measure:
    """Return the measure of a user's word; raise a UsageError if there is none."""
    word = name.replace("_", "-")
    known = plugins.names("measures")
    if word not in known:
        shown = [*map(key, known)]
        raise UsageError(f"unknown measure '{name}' (known: {', '.join(shown)})", did_you_mean(key(word), shown))
    return cast("Measure", plugins.load("measures", word))


def names_for(is_classification: bool) -> list[str]:
    """Return the JSON keys of the measures for this kind of target, in alphabetical order."""
    kind = "nominal" if is_classification else "numeric"
    return [key(name) for name in plugins.names("measures") if measure(name).TARGET in (kind, "any")]


def check(names: Sequence[str], is_classification: bool) -> None:
    """Raise a UsageError unless every name is a measure for this kind of target."""
    for name in names:
        target = measure(name).TARGET
        if target != "any" and (target == "nominal") != is_classification:
            kind = "nominal" if is_classification else "numeric"
            raise UsageError(
                f"{key(name)} is a measure for a {target} target, but the target is {kind}",
                f"use {', '.join(names_for(is_classification))}",
            )


def needs_probabilities(names: Sequence[str]) -> bool:
    """Return whether one of the measures needs class probabilities."""
    return any(measure(name).NEEDS_PROBABILITIES for name in names)


def value(name: str, result: Result) -> float | None:
    """Return the value of a measure, or None where it is not defined."""
    return measure(name).of(result)
