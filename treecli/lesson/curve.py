"""The curve of an impurity: over the share of a class, or over a number that is predicted for all cases."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2, sqrt
from typing import TYPE_CHECKING

from treecli.lesson.markup import Markup, tag
from treecli.wording import quoted, readable

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.teaching.trace import NodeTrace

WIDTH, HEIGHT = 320, 210
LEFT, RIGHT, TOP, BOTTOM = 52, 306, 16, 176
"""The plotting area within the picture; curve.js has the same numbers from the page's data."""

N_POINTS = 80


@dataclass(frozen=True, slots=True)
class Curve:
    """An impurity as a function of one number, with the place of the data.

    `kind` is entropy, gini, error, variance or deviation. For classes the number is the share of the class `label`, and
    the other classes keep their proportions: `rest` is their entropy, the sum of their squared shares, or the largest
    share among them. For a numeric target it is the prediction, `rest` the squared errors of the mean, and `weight`
    the number of cases.
    """

    kind: str
    label: str
    low: float
    high: float
    at: float
    rest: float
    weight: float

    def value(self, x: float) -> float:
        """Return the impurity at x."""
        if self.kind == "entropy":
            return _term(x) + _term(1 - x) + (1 - x) * self.rest
        if self.kind == "gini":
            return 1 - x * x - (1 - x) ** 2 * self.rest
        if self.kind == "error":
            return 1 - max(x, (1 - x) * self.rest)
        squares = self.rest + self.weight * (x - self.at) ** 2
        return sqrt(squares / self.weight) if self.kind == "deviation" else squares

    @property
    def top(self) -> float:
        """The greatest value that is drawn."""
        return max(self.value(self._x(place)) for place in range(N_POINTS + 1)) or 1.0

    def _x(self, place: int) -> float:
        return self.low + (self.high - self.low) * place / N_POINTS

    def record(self) -> dict[str, object]:
        """Return the curve as data for the page."""
        fields = ("kind", "low", "high", "at", "rest", "weight")
        return {name: getattr(self, name) for name in fields} | {
            "top": self.top,
            "box": [LEFT, RIGHT, TOP, BOTTOM],
        }

    def picture(self, axis: str) -> Markup:
        """Return the curve with its dot, whose attributes make it a slider for the page's script."""
        top = self.top
        points = [self._point(self._x(place), top) for place in range(N_POINTS + 1)]
        path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
        x, y = self._point(self.at, top)
        ends = [
            _text(LEFT, BOTTOM + 16, readable(self.low), "middle"),
            _text(RIGHT, BOTTOM + 16, readable(self.high), "middle"),
            _text((LEFT + RIGHT) / 2, BOTTOM + 32, axis, "middle"),
            _text(LEFT - 6, TOP + 4, readable(top), "end"),
            _text(LEFT - 6, BOTTOM + 4, "0", "end"),
        ]
        lines = [
            tag("path", d=f"M{LEFT},{TOP}V{BOTTOM}H{RIGHT}", cls="axis"),
            tag("path", d=path, cls="graph"),
            tag("path", d=f"M{x:.1f},{y:.1f}V{BOTTOM}M{x:.1f},{y:.1f}H{LEFT}", cls="guide"),
        ]
        dot = tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=8, cls="dot", aria_label=axis)
        return tag("svg", *ends, *lines, dot, cls="curve", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="group")

    def _point(self, x: float, top: float) -> tuple[float, float]:
        share = (x - self.low) / (self.high - self.low)
        return LEFT + (RIGHT - LEFT) * share, BOTTOM - (BOTTOM - TOP) * self.value(x) / top


def curve_of(node: NodeTrace, impurity: str, dataset: Dataset) -> Curve:
    """Return the curve of the root's impurity; of the most frequent class if there are classes."""
    if node.labels is None:
        assert dataset.target is not None
        weight, mean, squares = node.counts
        low, high = float(dataset.target.min()), float(dataset.target.max())
        return Curve(impurity, "", low, high, mean, squares, weight)
    code = max(range(len(node.counts)), key=lambda own: node.counts[own])
    others = [count for own, count in enumerate(node.counts) if own != code and count > 0]
    shares = [count / sum(others) for count in others]
    rest = {
        "entropy": sum(map(_term, shares)),
        "gini": sum(share * share for share in shares),
        "error": max(shares),
    }[impurity]
    label = quoted(dataset.schema.target.labels[code])
    return Curve(impurity, label, 0.0, 1.0, node.counts[code] / node.weight, rest, node.weight)


def _term(share: float) -> float:
    return -share * log2(share) if share > 0 else 0.0


def _text(x: float, y: float, text: str, anchor: str) -> Markup:
    return tag("text", text, x=f"{x:.0f}", y=f"{y:.0f}", text_anchor=anchor)
