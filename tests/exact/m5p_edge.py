"""Weka's M5P on small sets made for its edges, each with its ARFF text: {"arff": TEXT, "runs": …} as for M5P."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.exact import m5p


def compare(data: Path, expected: dict[str, Any], scratch: Path) -> list[str]:
    """The differences, one per line; empty if all is equal."""
    return m5p.compare(data, expected["runs"], scratch)
