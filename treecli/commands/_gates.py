"""Gates of `evaluate`: bounds of measures, and a test against another model."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from treecli import measures
from treecli.errors import UsageError
from treecli.records import dataclass
from treecli.wording import counted, number_text, readable

if TYPE_CHECKING:
    from treecli.evaluate.result import Result

UNDER, OVER = "--fail-under", "--fail-over"
USUAL = "accuracy", "r2"
"""The measure of a bound without a name, for a nominal and a numeric target."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a measure: the least value, or with `is_most` the largest. An empty name is the usual measure."""

    name: str
    bound: float
    is_most: bool

    @property
    def option(self) -> str:
        return OVER if self.is_most else UNDER

    def named(self, is_classification: bool) -> Bound:
        """The bound with the name of its measure, which must be one of this kind of target."""
        name = self.name or USUAL[not is_classification]
        measures.check([name], is_classification)
        return Bound(measures.key(name), self.bound, self.is_most)

    def holds(self, value: float | None) -> bool:
        if value is None or isnan(value):
            return False
        return value <= self.bound if self.is_most else value >= self.bound

    def failure(self, value: float | None) -> str:
        """The message if it does not hold."""
        limit = number_text(self.bound)
        if value is None or isnan(value):
            return f"{self.name} is not defined here, expected {'at most' if self.is_most else 'at least'} {limit}"
        shown = f"{value:.4f}"
        if self.holds(float(shown)):  # rounding would hide the difference
            shown = number_text(value)
        return f"{self.name} {shown} {'>' if self.is_most else '<'} {limit}"

    def facts(self, value: float | None) -> dict[str, object]:
        return {
            "check": self.option.removeprefix("--"),
            "measure": self.name,
            "value": value,
            "bound": self.bound,
            "holds": self.holds(value),
        }

    def doubts(self) -> str | None:
        """A warning if the bound cannot fail, or is on the wrong side."""
        found = measures.measure(self.name)
        low, high = found.RANGE
        if (self.bound >= high) if self.is_most else (self.bound <= low):
            beyond = (
                f"no {self.name} is {'above' if self.is_most else 'below'} {number_text(high if self.is_most else low)}"
            )
            return f"{self.option} {self.name}={number_text(self.bound)}: {beyond}; the gate cannot fail"
        if self.is_most == found.LARGER_IS_BETTER:
            better, other = ("larger", UNDER) if self.is_most else ("smaller", OVER)
            return f"{self.option} {self.name}: {better} values are better; {other} checks the other side"
        return None


def bounds_of(text: str, *, is_most: bool) -> list[Bound]:
    """The bounds in a user's text: `0.9` (only without `is_most`) or `accuracy=0.9,kappa=0.8`."""
    option = OVER if is_most else UNDER
    found = []
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        name = name.strip()
        try:
            bound = float(number)
        except ValueError:
            bound = float("nan")
        if isnan(bound) or (equals and not name) or (is_most and not equals):
            expected = "MEASURE=X,…" if is_most else "a number or MEASURE=X,…"
            raise UsageError(f"{option}: found '{part}', expected {expected}", f"for example {_EXAMPLE[is_most]}")
        low, high = measures.measure(name or USUAL[0]).RANGE
        if bound > high if not is_most else bound < low:
            limit = f"at most {number_text(high)}" if not is_most else f"at least {number_text(low)}"
            raise UsageError(f"{option}: found '{part.strip()}', expected a number of {limit}")
        found.append(Bound(name, bound, is_most))
    return found


_EXAMPLE = {False: f"{UNDER} accuracy=0.9,kappa=0.8", True: f"{OVER} brier=0.1,leaves=20"}


@dataclass(frozen=True, slots=True)
class NotWorse:
    """McNemar's exact test that a model is not worse than another; it fails if p < alpha and the drop > margin.

    `alone` is the weight of the rows that only this model predicts correctly, `other_alone` that of the other model.
    """

    other: str
    alone: float
    other_alone: float
    n: float
    alpha: float
    margin: float

    @property
    def p(self) -> float:
        from treecli.evaluate.mcnemar import worse

        return worse(self.alone, self.other_alone)

    @property
    def drop(self) -> float:
        """The accuracy of the other model minus that of this one."""
        return (self.other_alone - self.alone) / self.n

    def holds(self) -> bool:
        return not (self.p < self.alpha and self.drop > self.margin)

    def failure(self) -> str:
        alone = f"right alone on {_rows(self.alone)}, {self.other} on {readable(self.other_alone)}"
        return f"worse than {self.other}: {alone} (exact McNemar, one-sided p {self.p:.2g})"

    def doubts(self) -> str | None:
        """A warning if the gate cannot fail, whatever the outcome of the rows on which the models differ."""
        from treecli.evaluate.mcnemar import least_p

        differ = self.alone + self.other_alone
        found = f"--not-worse-than {self.other}: {_rows(differ)} {'differs' if differ == 1 else 'differ'}"
        if least_p(differ) >= self.alpha:
            return f"{found}: even all against it gives p {least_p(differ):.2g}; the gate cannot fail"
        if differ / self.n <= self.margin:
            return f"{found}: even all against it is a drop of {readable(differ / self.n)}; the gate cannot fail"
        return None

    def facts(self) -> dict[str, object]:
        return {
            "check": "not-worse-than",
            "model": self.other,
            "right_alone": self.alone,
            "other_right_alone": self.other_alone,
            "drop": self.drop,
            "p": self.p,
            "holds": self.holds(),
        }


def not_worse(result: Result, other: Result, name: str, alpha: float, margin: float) -> NotWorse:
    """The comparison of two models' predictions for the same rows."""
    is_right, is_other_right = result.actual == result.predicted, other.actual == other.predicted
    weights = result.weights
    alone, other_alone = weights[is_right & ~is_other_right].sum(), weights[~is_right & is_other_right].sum()
    return NotWorse(name, float(alone), float(other_alone), float(weights.sum()), alpha, margin)


def _rows(weight: float) -> str:
    """The number of rows; weights that are not integers are rounded."""
    return counted(int(weight), "row") if weight.is_integer() else f"{readable(weight)} rows"
