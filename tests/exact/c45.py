"""C4.5 release 8: full and pruned trees node by node, and the rule list of c4.5rules.

Expected: {"unpruned": NODE, "pruned": NODE, "rules": [{"conditions": [[ATTRIBUTE, "=", "<=" or ">", VALUE], …],
"class": CLASS}, …], "default": CLASS}, where NODE is {"class", "items", "dist", and of an inner node "att", "branches"
and of a threshold "cut"}. Attributes, classes and the labels in conditions are numbers, from 0; cuts are 32-bit floats.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.exact.command import answer

WEIGHT_TOLERANCE = 1e-4
"""C4.5 sums weights in 32 bits: those of a node may differ by this share."""

OPTIONS = {"unpruned": ["--prune", "none"], "pruned": []}

Comparison = tuple[int, str, float]
"""The attribute, the comparison sign, and the label's number or the bound."""


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one line each; none where all is equal."""
    found = []
    model = str(scratch / "model.json")
    for tree, options in OPTIONS.items():
        answer("train", str(data), "--like", "c45", *options, "-o", model, "-q")
        shown = json.loads(answer("show", model, "-f", "json"))
        difference = _first_difference(shown, expected[tree], expected)
        if difference is not None:
            found.append(f"{tree}: {difference}")
        if tree == "unpruned" and expected.get("rules") is not None:
            simplified = answer("rules", model, "--simplify", "c45rules", "--data", str(data), "-f", "json", "-q")
            found += [f"rules: {line}" for line in _compare_rules(json.loads(simplified), expected)]
    return found


def _first_difference(shown: dict[str, Any], root: dict[str, Any], names: dict[str, Any]) -> str | None:
    """The first node, depth first, that differs, and in what."""
    nodes = {node["id"]: node for node in shown["nodes"]}
    pending = [(0, root, "root")]
    while pending:
        number, theirs, path = pending.pop()
        ours = nodes[number]
        for what, own, their in _facts(ours, theirs, names):
            if own != their:
                return f"{path}: {what} {own!r}, expected {their!r} (class weights {theirs['dist']})"
        # Of an empty branch, C4.5 keeps the class weights of the node above.
        weights = theirs["dist"] if theirs["items"] else [0.0] * len(theirs["dist"])
        counts = zip(ours["counts"], weights, strict=True)
        if any(abs(own - their) > WEIGHT_TOLERANCE * max(theirs["items"], 1.0) for own, their in counts):
            return f"{path}: class weights {ours['counts']}, expected {theirs['dist']}"
        children = list(zip(ours["children"], theirs.get("branches", ()), strict=True))
        below = [(child, branch, f"{path} / {nodes[child]['text']}") for child, branch in children]
        pending += reversed(below)
    return None


def _facts(ours: dict[str, Any], theirs: dict[str, Any], names: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Facts to compare: the name, our value and the expected value."""
    split = ours.get("split", {})
    yield "attribute", split.get("attribute"), names["attributes"][theirs["att"]] if "att" in theirs else None
    yield "cut", _single(split.get("at_most")), theirs.get("cut")
    yield "branches", len(ours["children"]), len(theirs.get("branches", ()))
    # If the classes of an inner node tie after pruning, C4.5 may keep the class of before; no prediction depends on it.
    is_tie = split and theirs["dist"].count(max(theirs["dist"])) > 1
    yield "class", ours["label"], ours["label"] if is_tie else names["classes"][theirs["class"]]


def _single(number: float | None) -> float | None:
    """The number in 32 bits."""
    if number is None:
        return None
    (rounded,) = struct.unpack("f", struct.pack("f", number))
    return float(rounded)


def _compare_rules(ours: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """The rules that only one of the lists has; where there are none, the first place where their order differs."""
    own = [(_comparisons(rule, ours["schema"]), rule["label"]) for rule in ours["rules"]]
    their = [(_narrowed(rule["conditions"]), expected["classes"][rule["class"]]) for rule in expected["rules"]]
    found = [f"{_worded(rule)} is too many" for rule in own if rule not in their]
    found += [f"{_worded(rule)} is missing" for rule in their if rule not in own]
    if not found:
        for number, (left, right) in enumerate(zip(own, their, strict=True), start=1):
            if left != right:
                found.append(f"rule {number}: {_worded(left)}, expected {_worded(right)}")
                break
    default = expected["classes"][expected["default"]]
    if ours["default"]["label"] != default:
        found.append(f"default {ours['default']['label']}, expected {default}")
    return found


def _worded(rule: tuple[frozenset[Comparison], str]) -> str:
    return " and ".join(f"{a}{sign}{value:g}" for a, sign, value in sorted(rule[0])) + f" -> {rule[1]}"


def _comparisons(rule: dict[str, Any], schema: dict[str, Any]) -> frozenset[Comparison]:
    """The conditions of one of our rules as C4.5 has them: two for an interval with both bounds."""
    attributes = {attribute["name"]: number for number, attribute in enumerate(schema["attributes"])}
    found: set[Comparison] = set()
    for condition in rule["conditions"]:
        attribute = attributes[condition["attribute"]]
        labels = schema["attributes"][attribute].get("labels", [])
        found |= {(attribute, "=", labels.index(label)) for label in condition.get("labels", [])}
        for sign, key in ((">", "above"), ("<=", "at_most")):
            if key in condition:
                found.add((attribute, sign, _single(condition[key]) or 0.0))
    return frozenset(found)


def _narrowed(conditions: list[list[Any]]) -> frozenset[Comparison]:
    """Conditions with only the narrowest of several bounds on one side of an attribute."""
    bounds: dict[tuple[int, str], float] = {}
    for attribute, sign, value in conditions:
        known = bounds.get((attribute, sign), value)
        bounds[attribute, sign] = max(known, value) if sign == ">" else min(known, value)
    return frozenset((attribute, sign, value) for (attribute, sign), value in bounds.items())
