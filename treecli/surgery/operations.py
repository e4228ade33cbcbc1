"""The operations on a tree: what each needs, and what it does to a draft."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from treecli.errors import UsageError, did_you_mean
from treecli.files.guard import name_of
from treecli.outcomes.rows import heaviest
from treecli.splits import binary, multiway, threshold
from treecli.surgery.draft import Draft, draft_of, in_level_order
from treecli.teaching.naming import node_named
from treecli.wording import number_text, quoted

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.splits import Split

COLLAPSE, THRESHOLD, SPLIT, REGROW, RENAME = "collapse", "threshold", "split", "regrow", "rename"
LABEL, GRAFT = "label", "graft"
OPERATIONS = (COLLAPSE, LABEL, THRESHOLD, SPLIT, REGROW, GRAFT, RENAME)

NEED_DATA = (THRESHOLD, SPLIT, REGROW, GRAFT)
"""Operations whose counts do not follow from the model."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A kind of operation, the node that it changes (None for a column), and what it gives it."""

    kind: str
    text: str
    node: int | None = None
    value: Any = None

    @property
    def flag(self) -> str:
        return f"--{self.kind}"


def read(kind: str, text: str, paths: Sequence[str], schema: Schema) -> Operation:
    """Return the operation that a text describes; nodes are those of the input model."""
    flag = f"--{kind}"
    if kind in (COLLAPSE, REGROW):
        return Operation(kind, text, node_named(text, paths, flag))
    if kind == RENAME:
        return Operation(kind, text, None, _names(text, schema))
    if kind == LABEL:
        name, sign, label = text.rpartition("=")
        if not sign:
            raise UsageError(f"{flag}: found '{text}', expected NODE=LABEL")
        return Operation(kind, text, node_named(name.strip(), paths, flag), _code(label.strip(), schema))
    if kind == GRAFT:
        name, sign, path = text.rpartition("=")
        if not sign or not path.strip():
            raise UsageError(f"{flag}: found '{text}', expected NODE=MODEL")
        return _graft(name.strip(), path.strip(), paths)
    if kind == THRESHOLD:
        name, sign, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if not sign or not abs(value) < float("inf"):
            raise UsageError(f"{flag}: found '{text}', expected NODE=NUMBER")
        return Operation(kind, text, node_named(name.strip(), paths, flag), value)
    return _split_operation(text, paths, schema)


def _code(label: str, schema: Schema) -> int:
    """Return the code of a class."""
    code = schema.target.code_of(label)
    if code is None:
        hint = did_you_mean(label, schema.target.labels)
        raise UsageError(f"--{LABEL}: '{label}' is no label of '{schema.target.name}'", hint)
    return code


def _graft(name: str, path: str, paths: Sequence[str]) -> Operation:
    """Return the operation NODE=MODEL; its text, which the lineage keeps, has the file's name without its folder."""
    node = node_named(name, paths, f"--{GRAFT}")
    return Operation(GRAFT, f"{name}={name_of(path)}", node, path)


def _split_operation(text: str, paths: Sequence[str], schema: Schema) -> Operation:
    """Return the operation NODE=TEST; the node's path may contain = too, so the longest name that is a node counts."""
    places = [place for place, sign in enumerate(text) if sign == "="]
    for place in reversed(places):
        name, test = text[:place].strip(), text[place + 1 :].strip()
        if text[:place].endswith("<"):
            continue
        try:
            node = node_named(name, paths, "--split")
        except UsageError:
            if place != places[0]:
                continue
            raise
        return Operation(SPLIT, text, node, _split(test, schema))
    raise UsageError(f"--split: found '{text}', expected NODE=TEST", 'for example --split 3="petalwidth <= 1.65"')


def _split(test: str, schema: Schema) -> Split:
    """Return the split of a test: NAME <= NUMBER, NAME = LABEL, or NAME alone for a branch per label."""
    names = {attribute.name: index for index, attribute in enumerate(schema.attributes)}
    match = re.fullmatch(r"(.+?)\s*(<=|=)\s*(.+)", test)
    name = test if match is None else match[1]
    if name not in names:
        raise UsageError(f"--split: the model has no attribute '{name}'", did_you_mean(name, names))
    index, attribute = names[name], schema.attributes[names[name]]
    if match is None:
        if attribute.kind != "nominal":
            raise UsageError(f"--split: '{name}' is {attribute.kind}", f"name a threshold: {name} <= X")
        return cast("Split", multiway.Split(index, len(attribute.labels)))
    if (match[2] == "=") != (attribute.kind == "nominal"):
        raise UsageError(f"--split: '{name}' is {attribute.kind}, so '{match[2]}' is no test of it")
    record = {"label": match[3]} if match[2] == "=" else {"at_most": _number(match[3], attribute.is_numeric)}
    kind: Any = binary.Split if match[2] == "=" else threshold.Split
    try:
        made: Split = kind.from_json(index, record, schema)
    except ValueError as error:
        raise UsageError(f"--split {test}: {error}", did_you_mean(match[3], attribute.labels)) from None
    return made


def _number(text: str, is_numeric: bool) -> float | str:
    try:
        return float(text) if is_numeric else text
    except ValueError:
        return text


def _names(text: str, schema: Schema) -> tuple[str, str]:
    known = [column.name for column in (*schema.attributes, schema.target)]
    found = [(old, text[len(old) + 1 :]) for old in known if text.startswith(f"{old}=")]
    if not found:
        old, sign, _ = text.partition("=")
        if not sign:
            raise UsageError(f"--rename: found '{text}', expected OLD=NEW")
        raise UsageError(f"--rename: the model has no column '{old}'", did_you_mean(old, known))
    old, new = max(found, key=lambda pair: len(pair[0]))
    if not new or new in known:
        raise UsageError(
            f"--rename {text}: " + (f"there is a column '{new}' already" if new else "the new name is empty")
        )
    return old, new


def renamed(schema: Schema, old: str, new: str) -> Schema:
    """Return the schema in which a column has another name."""
    attributes = tuple(replace(own, name=new) if own.name == old else own for own in schema.attributes)
    target = replace(schema.target, name=new) if schema.target.name == old else schema.target
    return replace(schema, attributes=attributes, target=target)


def found_in(root: Draft, operation: Operation) -> Draft:
    """Return the node that an operation changes; raise a UsageError if an earlier one has removed it."""
    for node in in_level_order(root):
        if node.number == operation.node:
            return node
    raise UsageError(f"{operation.flag} {operation.text}: node {operation.node} was removed by an earlier operation")


def apply(root: Draft, operation: Operation, schema: Schema) -> str:
    """Change a draft, except by growing; return what was done."""
    node = found_in(root, operation)
    if operation.kind == COLLAPSE:
        if node.split is None:
            raise UsageError(f"--collapse {operation.text}: node {operation.node} is a leaf already")
        n = len(in_level_order(node)) - 1
        node.become_leaf()
        return f"node {operation.node}: {n} nodes below it are removed"
    if operation.kind == SPLIT:
        node.ask(operation.value)
        return f"node {operation.node}: asks {_wording(operation.value, schema)}"
    if operation.kind == LABEL:
        return _labelled(node, operation, schema)
    own = node.split
    if own is None or own.KIND != "threshold" or not schema.columns[own.attribute].is_numeric:
        raise UsageError(
            f"--threshold {operation.text}: node {operation.node} does not compare a number with a threshold"
        )
    node.split = cast("Split", threshold.Split(own.attribute, operation.value))
    node.score, node.surrogates, node.notes = None, (), {}
    return f"node {operation.node}: {_wording(own, schema)} → {number_text(operation.value)}"


def _labelled(node: Draft, operation: Operation, schema: Schema) -> str:
    """Give a leaf a class; it is forced if the leaf's cases say another one."""
    if node.split is not None:
        raise UsageError(f"--{LABEL} {operation.text}: node {operation.node} is not a leaf", "collapse it first")
    usual = heaviest(node.outcomes) if sum(node.outcomes) > 0 else None
    label = quoted(schema.target.labels[operation.value])
    node.forced = None if operation.value == usual else operation.value
    return f"node {operation.node}: {label}" + (", as its cases say" if node.forced is None else " [forced]")


def grafted(node: Draft, tree: Any) -> None:
    """Replace what is below a node by a tree that was grown from its cases."""
    made = draft_of(tree, numbered=False)
    node.split, node.children, node.missing_to = made.split, made.children, made.missing_to
    node.score, node.surrogates, node.notes = made.score, made.surrogates, made.notes


def _wording(split: Split, schema: Schema) -> str:
    attribute = schema.columns[split.attribute]
    if split.n_branches() > 2 or split.KIND == "multiway":
        return quoted(attribute.name)
    return split.condition(0, schema).wording(attribute)
