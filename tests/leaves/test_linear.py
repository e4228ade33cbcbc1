"""Linear leaves: their text, their files, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from treecli.data import Attribute
from treecli.expressions import Holds, Value
from treecli.leaves import leaf_of, leaf_record
from treecli.leaves.linear import Leaf, Line

ATTRIBUTES = (Attribute("x", "numeric"), Attribute("c", "nominal", ("a", "b", "d")))

LEAF = Leaf(
    Line(1.5, ((Value(0, 4.0), -2.0), (Holds(1, labels=(2, 0), instead=1.0), 0.25))),
    0.5,
    Line(1.0, ((Value(0, 4.0), 3.0),)),
)

RECORD = {
    "kind": "linear",
    "intercept": 1.5,
    "terms": [
        {"factor": -2.0, "attribute": "x", "instead": 4.0},
        {"factor": 0.25, "attribute": "c", "labels": ["d", "a"], "instead": 1.0},
    ],
    "rmse": 0.5,
    "unsmoothed": {"intercept": 1.0, "terms": [{"factor": 3.0, "attribute": "x", "instead": 4.0}]},
}


def test_a_leaf_is_read_back_from_its_record() -> None:
    assert leaf_record(LEAF, ATTRIBUTES) == RECORD
    assert leaf_of(RECORD, ATTRIBUTES) == LEAF


def test_the_text_names_an_indicator_by_its_labels() -> None:
    assert LEAF.wording(ATTRIBUTES) == '-2 * x + 0.25 * "c=d,a" + 1.5'
    assert Leaf(Line(-3.0), 0.0).wording(ATTRIBUTES) == "-3"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"intercept": None}, "'intercept' must be a finite number"),
        ({"rmse": -1.0}, "'rmse' must not be negative"),
        ({"terms": [{"factor": 1.0}]}, "each of 'terms' has 'factor', 'attribute' and 'instead'"),
        ({"terms": [{"factor": 1.0, "attribute": "y", "instead": 0.0}]}, "'y' is not an attribute"),
        ({"terms": [{"factor": 1.0, "attribute": "c", "instead": 0.0}]}, "'labels' must be labels of 'c'"),
        ({"slope": 1.0}, "a line has 'intercept' and 'terms'"),
    ],
)
def test_a_wrong_record_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        leaf_of({**RECORD, **change}, ATTRIBUTES)
