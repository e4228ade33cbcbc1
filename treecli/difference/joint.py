"""The attributes and labels of two models together, and each model's view of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treecli.data import MISSING, UNSEEN, Attribute, Dataset, Schema
from treecli.errors import UsageError
from treecli.rules.rule import BY_CONDITION
from treecli.values import Condition, Interval, Labels, as_labels, in_doubles
from treecli.wording import quoted

if TYPE_CHECKING:
    from treecli.data import Column
    from treecli.model import Model


@dataclass(frozen=True, slots=True)
class Side:
    """One of two models, with the place of its attributes, labels and predictions in the joint schema.

    `places[i]` is the joint index of attribute i, `codes[i][c]` the joint code of its label c, and `foreign[i]` the
    joint labels, as bits, that the model does not know. `target_codes[c]` is the joint code of class c.
    """

    model: Model
    schema: Schema
    places: tuple[int, ...]
    codes: tuple[tuple[int, ...], ...]
    foreign: tuple[int, ...]
    target_codes: tuple[int, ...]

    @property
    def unseen_by_condition(self) -> bool:
        """Whether unseen labels take the heaviest branch, or the conditions that include them."""
        return self.model.settings.predicting.unseen == BY_CONDITION

    @property
    def refuses_unseen(self) -> bool:
        return self.model.settings.predicting.unseen == "error"

    def condition(self, own: Condition) -> Condition:
        """Return a condition of the model on a joint attribute: unknown labels are in it as unseen ones would be."""
        index = own.attribute
        attribute, place = self.model.schema.attributes[index], self.places[index]
        if attribute.is_numeric:
            is_single = self.model.settings.predicting.single_precision
            return replace(in_doubles(own, attribute, is_single=is_single), attribute=place, unseen=False)
        takes_unseen = own.unseen if self.unseen_by_condition else own.missing
        codes = as_labels(own, len(attribute.labels)).codes
        found = Labels.of(place, (self.codes[index][code] for code in codes), own.missing, takes_unseen)
        return replace(found, bits=found.bits | self.foreign[index]) if takes_unseen else found

    def rows(self, joint: Dataset) -> Dataset:
        """Return rows under the joint schema as rows under the model's own."""
        columns = [
            column if attribute.is_numeric else self._own_codes(index, column)
            for index, attribute in enumerate(self.model.schema.attributes)
            for column in (joint.columns[self.places[index]],)
        ]
        return Dataset(self.model.schema, columns, None, joint.weights)

    def _own_codes(self, index: int, column: Column) -> Column:
        import numpy as np

        n_labels = len(self.schema.attributes[self.places[index]].labels)
        own = np.full(n_labels + 2, UNSEEN, np.int32)
        own[MISSING] = MISSING  # codes below 0 select entries from the end
        own[list(self.codes[index])] = np.arange(len(self.codes[index]))
        return own[column]


def sides(a: Model, b: Model) -> tuple[Side, Side]:
    """Return both models with their joint schema; raise a UsageError if they predict different things."""
    attributes = {attribute.name: attribute for attribute in a.schema.attributes}
    for attribute in b.schema.attributes:
        before = attributes.get(attribute.name)
        attributes[attribute.name] = attribute if before is None else _joined(before, attribute)
    schema = Schema(tuple(attributes.values()), _target(a.schema.target, b.schema.target))
    return _side(a, schema), _side(b, schema)


def _side(model: Model, schema: Schema) -> Side:
    place_of = {attribute.name: place for place, attribute in enumerate(schema.attributes)}
    places = tuple(place_of[attribute.name] for attribute in model.schema.attributes)
    codes, foreign = [], []
    for attribute, place in zip(model.schema.attributes, places, strict=True):
        joint = schema.attributes[place]
        own = _codes(attribute, joint)
        codes.append(own)
        foreign.append((1 << len(joint.labels)) - 1 & ~Labels.of(place, own).bits)
    return Side(model, schema, places, tuple(codes), tuple(foreign), _codes(model.schema.target, schema.target))


def _codes(attribute: Attribute, joint: Attribute) -> tuple[int, ...]:
    code_of = {label: code for code, label in enumerate(joint.labels)}
    return tuple(code_of[label] for label in attribute.labels)


def _joined(a: Attribute, b: Attribute) -> Attribute:
    """Return an attribute with the labels and the range of both; ordinal if one order serves both."""
    if a.is_numeric != b.is_numeric:
        raise UsageError(
            f"{quoted(a.name)} is {a.kind} in the first model and {b.kind} in the second",
            "train both with the same --type",
        )
    if a.is_numeric:
        ranges = [own.range for own in (a, b) if own.range is not None]
        hull = (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else None
        return replace(a, range=hull)
    wider, other = (b, a) if len(b.labels) > len(a.labels) else (a, b)
    has_order = wider.kind == "ordinal" and set(other.labels) <= set(wider.labels)
    if has_order and (other.kind == "nominal" or _in_order(other, wider)):
        return wider
    labels = tuple(dict.fromkeys((*a.labels, *b.labels)))
    return Attribute(a.name, "nominal", labels)


def _in_order(attribute: Attribute, wider: Attribute) -> bool:
    codes = _codes(attribute, wider)
    return list(codes) == sorted(codes)


def _target(a: Attribute, b: Attribute) -> Attribute:
    """Return the target of both; rules without a declared target may name only some of its labels."""
    if a.name and b.name and a.name != b.name:
        raise UsageError(f"the models predict different targets: {quoted(a.name)} and {quoted(b.name)}")
    name = a.name or b.name
    if a.is_numeric != b.is_numeric:
        raise UsageError(f"the target is {a.kind} in the first model and {b.kind} in the second")
    for own, other in ((a, b), (b, a)):
        lacking = [label for label in other.labels if label not in own.labels]
        if own.name and lacking:
            which = "second" if own is a else "first"
            raise UsageError(
                f"the target has different labels: only the {which} model knows {', '.join(map(quoted, lacking))}"
            )
    return Attribute(name, a.kind, tuple(dict.fromkeys((*a.labels, *b.labels))))


def everything(joint: tuple[Side, Side], undetermined: set[int], used: tuple[set[int], set[int]]) -> list[Condition]:
    """Return the values of each joint attribute for which both models have a prediction that regions can state.

    Missing values are left out of `undetermined` attributes, and with them the unseen labels that count as missing.
    Labels that a model refuses are left out where that model uses the attribute.
    """
    found: list[Condition] = []
    tells_unseen = any(side.unseen_by_condition for side in joint)
    for place, attribute in enumerate(joint[0].schema.attributes):
        has_missing = place not in undetermined
        if attribute.is_numeric:
            found.append(Interval(place, missing=has_missing))
            continue
        bits, has_unseen = (1 << len(attribute.labels)) - 1, tells_unseen
        for side, own_used in zip(joint, used, strict=True):
            if place not in own_used:
                continue
            if side.refuses_unseen:
                bits &= ~side.foreign[side.places.index(place)]
                has_unseen = False
            elif not side.unseen_by_condition:
                has_unseen = has_unseen and has_missing
        found.append(Labels(place, bits, has_missing, has_unseen))
    return found
