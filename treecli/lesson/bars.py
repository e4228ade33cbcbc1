"""The values of the candidates of a node as the lengths of bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treecli.teaching import wording

if TYPE_CHECKING:
    from treecli.teaching.trace import Candidate, NodeTrace, Trace


def bar_record(own: Candidate, node: NodeTrace, trace: Trace) -> tuple[str, str, float, str]:
    """Return the attribute, the value as text, its share of the greatest value and the status of a candidate."""
    if own.gain is None:
        return own.attribute, "–", 0.0, own.status
    values = [(other.ratio or other.gain).exact for other in node.every if other.gain is not None]
    greatest = max(max(values), 1e-12)
    step = own.ratio or own.gain
    share = min(max(step.exact / greatest, 0.0), 1.0)
    return own.attribute, wording.result(own, trace), share, own.status


def longest_first(node: NodeTrace, trace: Trace) -> list[Candidate]:
    """Return the candidates of a node by the lengths of their bars; equal ones in the order of their columns."""
    return sorted(node.every, key=lambda own: (own.gain is None, -bar_record(own, node, trace)[2]))
