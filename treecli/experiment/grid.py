"""A grid of settings: the values of some options of `train`, and every combination of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log

from treecli import recipe
from treecli.errors import UsageError, did_you_mean
from treecli.experiment.comparison import Learner
from treecli.options.arguments import words_of
from treecli.options.option import Flag, Number, Option
from treecli.recipe import Recipe
from treecli.wording import number_text

WITHOUT_EFFECT = ("competitors", "ties")
"""Options of `train` that change no prediction."""

MOST_STEPS = 10_000

YES, NO = "yes", "no"
"""The values of a flag."""

_RANGE = re.compile(r"(?P<low>[^.,:]*(?:\.[^.,:]+)*?)\.\.(?P<high>[^,:]+?)(?::(?P<steps>[^,:]+))?")

DIGITS = 6
"""The significant digits of the values of a range, except for whole numbers."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An option and its values, as typed."""

    option: Option
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.option.flag.removeprefix("--")

    def words(self, value: str) -> list[str]:
        """Return the words of a command line that set the option."""
        if isinstance(self.option.kind, Flag):
            if value == YES:
                return [self.option.flag]
            return [] if self.option.opposite is None else [self.option.opposite]
        return words_of(self.option.flag, value)


@dataclass(frozen=True, slots=True)
class Setting:
    """One combination of values: `learner` has all its options, `values` those that differ between settings."""

    values: tuple[str, ...]
    learner: Learner


def axis_of(text: str, *, is_log: bool) -> Axis:
    """Return the axis that `NAME=V,V` or `NAME=A..B:STEPS` describes; `is_log` spaces ranges by equal factors."""
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        raise UsageError(f"--vary: found '{text}', expected NAME=V,V or NAME=A..B:STEPS", "for example min-leaf=1,2,5")
    option = _option(name.strip().removeprefix("--").replace("_", "-"))
    found = [value for part in values.split(",") for value in _values(option, part.strip(), text, is_log=is_log)]
    return Axis(option, tuple(dict.fromkeys(found)))


def is_range(text: str) -> bool:
    """Return whether an axis has a range, which --log applies to."""
    return any(_RANGE.fullmatch(part.strip()) for part in text.partition("=")[2].split(","))


def _option(name: str) -> Option:
    known = {option.flag.removeprefix("--"): option for option in recipe.all_options()}
    known = {own: option for own, option in known.items() if option.key not in WITHOUT_EFFECT}
    if name not in known:
        raise UsageError(
            f"--vary: no option of train is called '{name}'",
            did_you_mean(name, known) or "'treecli train --help' lists the options",
        )
    return known[name]


def _values(option: Option, part: str, text: str, *, is_log: bool) -> list[str]:
    """Return the values of one part between commas."""
    kind, range_ = option.kind, _RANGE.fullmatch(part)
    if isinstance(kind, Flag):
        if part not in (YES, NO):
            raise UsageError(f"--vary {text}: found '{part}', expected {YES} or {NO}")
        return [part]
    if not isinstance(kind, Number) or range_ is None:
        if not part:
            raise UsageError(f"--vary {text}: found an empty value", "leave out the comma")
        return [part]
    try:
        low, high = float(range_["low"]), float(range_["high"])
        steps = int(range_["steps"]) if range_["steps"] is not None else 0
    except ValueError:
        raise UsageError(f"--vary {text}: found '{part}', expected A..B:STEPS with numbers") from None
    return _range(low, high, steps, kind, f"--vary {text}", is_log=is_log)


def _range(low: float, high: float, steps: int, kind: Number, place: str, *, is_log: bool) -> list[str]:
    """Return the values from low to high; without steps all whole numbers between them."""
    if steps == 0 and kind.is_whole and not is_log and high - low < MOST_STEPS:
        return [str(value) for value in range(round(low), round(high) + 1)]
    if not 2 <= steps <= MOST_STEPS:
        raise UsageError(f"{place}: expected A..B:STEPS with 2 to {MOST_STEPS} steps", "for example 0.1..0.5:5")
    if is_log and not min(low, high) > 0:
        raise UsageError(f"{place}: --log needs numbers above 0")
    shares = [step / (steps - 1) for step in range(steps)]
    if is_log:
        inner = [exp(log(low) + share * (log(high) - log(low))) for share in shares]
    else:
        inner = [low + share * (high - low) for share in shares]
    values = [low, *inner[1:-1], high]
    if kind.is_whole:
        return [str(round(value)) for value in values]
    return [number_text(float(f"{value:.{DIGITS}g}")) for value in values]


def settings_of(base: Sequence[str], axes: Sequence[Axis]) -> list[Setting]:
    """Return every combination of the values after the words that all settings share; the last axis varies fastest.

    An option or a combination that `train` does not accept is refused.
    """
    names = [axis.name for axis in axes]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--vary: '{name}' is given twice", "list all its values in one")
        if f"--{name}" in {word.partition("=")[0] for word in base}:
            raise UsageError(f"--{name} is given, and varied by --vary", "leave one of them out")
    settings = []
    for values in product(*(axis.values for axis in axes)):
        own = [word for axis, value in zip(axes, values, strict=True) for word in axis.words(value)]
        words = [*base, *own]
        label = " ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
        try:
            learner = Learner(label, shlex.join(words), Recipe.parse(words, WITHOUT_EFFECT))
        except UsageError as error:
            raise UsageError(f"--vary {label}: {error.message}", error.hint) from None
        settings.append(Setting(values, learner))
    return settings
