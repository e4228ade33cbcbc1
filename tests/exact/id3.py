"""Weka's Id3: whole trees. Expected: {"leaves", "tree": [lines]}, with "null" for an empty branch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.exact.command import answer

INDENT = "|  "


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one per line; empty if all is equal."""
    model = str(scratch / "model.json")
    answer("train", str(data), "--like", "id3", "-o", model, "-q")
    lines = _lines(json.loads(answer("show", model, "-f", "json"))["nodes"])
    for number, (ours, theirs) in enumerate(zip(lines, expected["tree"], strict=False), start=1):
        if ours != theirs:
            return [f"line {number}: {ours!r}, expected {theirs!r}"]
    if len(lines) != len(expected["tree"]):
        return [f"{len(lines)} lines, expected {len(expected['tree'])}"]
    return []


def _lines(nodes: list[dict[str, Any]]) -> list[str]:
    """The tree as Id3 prints it."""
    lines = []
    for node in nodes:
        if node["parent"] is None:
            continue
        condition = node["condition"]
        said = ""
        if not node["children"]:
            said = f": {node['label'] if sum(node['counts']) else 'null'}"
        lines.append(f"{INDENT * (node['depth'] - 1)}{condition['attribute']} = {condition['labels'][0]}{said}")
    return lines
