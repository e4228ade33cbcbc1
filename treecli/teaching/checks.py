"""A number of a trace is compared with the learner's before it is printed."""

from __future__ import annotations

from treecli.errors import CheckError

ACCURACY = 1e-9
"""The largest difference between a printed result and the learner's number, relative for numbers above 1."""

ROUNDING = 1e-12
"""How far two ways to compute a mean or an error may differ, relative to the target: the learner centres its sums."""

FAULT = "this is a fault in treecli: please report it with the data"


def disagree(number: int, name: str, what: str, own: float, learned: float, accuracy: float = ACCURACY) -> None:
    """Raise an error if a number of the trace differs from the learner's."""
    if not abs(own - learned) <= accuracy:
        raise CheckError(
            f"node {number}, {name}: the {what} in the trace is {own!r}, the learner's is {learned!r}",
            FAULT,
        )
