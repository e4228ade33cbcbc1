"""Run `trace` in tests."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import Runner


def traced(treecli: Runner, *arguments: str) -> str:
    """The output of a trace that succeeds."""
    code, out, err = treecli("trace", *arguments, "-q")
    assert (code, err) == (0, ""), err
    return out


def data_of(treecli: Runner, *arguments: str) -> dict[str, Any]:
    """The JSON output of a trace."""
    found: dict[str, Any] = json.loads(traced(treecli, *arguments, "-f", "json"))
    return found
