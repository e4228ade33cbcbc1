"""The score of each split."""

from __future__ import annotations

from collections.abc import Iterator

from treecli.teaching.trace import Trace

SUFFIX = ".scores"
HAS_WHOLE = False


def render(trace: Trace, *, is_whole: bool) -> Iterator[str]:
    """A number a line."""
    for node in trace.nodes:
        if node.score is not None:
            yield f"{node.id} {node.score:.3f}\n"
