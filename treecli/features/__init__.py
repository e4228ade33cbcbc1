"""Features: numbers derived from several attributes, which a split compares with a threshold.

A member is a module with a frozen dataclass `Feature`, which implements the protocol of that name, and
propose(nodes)      optional: yields Proposals for the open nodes of a level, an `OpenNodes` (grow/proposals.py), while
                    a tree grows. Each is scored beside the attributes; a chosen one becomes a derived column of the
                    model. A module with `propose` is a choice of `treecli train --splits`.
check(schema)       optional: raises a UsageError if no such column can be made of the attributes.
A derived column follows the attributes in `Schema.columns`. Everything that deals with one column of a split (trees,
kernels, conditions, boxes, rules) treats it as a numeric attribute; its value is computed from its expression. A member
imports numpy and treecli.grow only inside `propose` or for type checkers: models are shown without numpy.
"""

from __future__ import annotations

from typing import Any

from treecli import plugins
from treecli.data import Derived, Feature, Schema, check_expression

__all__ = ["Feature", "derived_of", "derived_record"]


def derived_record(column: Derived) -> dict[str, Any]:
    """Return a derived column as written to a file."""
    record: dict[str, Any] = {"name": column.name, "kind": column.feature.KIND}
    return record | column.feature.to_json(column.parts)


def derived_of(record: dict[str, Any], schema: Schema) -> Derived:
    """Return the derived column of a record; raise ValueError if it is invalid."""
    own = dict(record)
    name, kind = own.pop("name", None), own.pop("kind", None)
    if not isinstance(name, str) or not name:
        raise ValueError("needs a 'name'")
    feature: Feature = plugins.member("features", kind).Feature.from_json(own, schema.attributes)
    check_expression(feature.expression(), schema.attributes)
    return Derived(name, "numeric", feature=feature, parts=schema.attributes)
