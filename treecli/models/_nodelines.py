"""Reads the nodes of a large file line by line, as treecli writes them; most lines are read by a kernel.

Any other layout, and any error, is left to `_nodes.tree_of`, which reads the whole file as JSON.
"""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import msgspec

from treecli.model import LARGEST_SPREAD, LARGEST_VALUE, LARGEST_WEIGHT
from treecli.models._nodes import SLACK, Filling, NodeRecord, RefusalError
from treecli.models._root import lightness
from treecli.outcomes.rows import MANY_CLASSES
from treecli.splits._registry import place_of
from treecli.tree import Tree

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.kernels.node_lines import Layout, NodeArrays


def tree_of_lines(text: bytes, start: int, stop: int, schema: Schema, kept: tuple[str, ...]) -> Tree | None:
    """Return the tree of the lines in a range; None if there is an error, or a line does not hold one node.

    `kept` names the outcomes of a numeric target.
    """
    from treecli.kernels.node_lines import NodeArrays, heavier_below, read_lines

    n_outcomes = schema.n_outcomes
    if len(schema.target.labels) > MANY_CLASSES or start >= stop:
        return None
    n_nodes = text.count(b"\n", start, stop) + 1
    # For the type checker, kernels take arrays of NumPy.
    tree: Any = Tree.of_leaves(n_outcomes, array("d", bytes(8 * n_nodes * n_outcomes)))
    found: Any = memoryview(bytearray(8)).cast("d", (1, 1))
    arrays = NodeArrays(
        kind=tree.kind,
        attribute=tree.attribute,
        number=tree.number,
        missing_to=tree.missing_to,
        first_child=tree.first_child,
        n_branches=tree.n_branches,
        score=tree.score,
        outcomes=tree.outcomes,
        position=start,
    )
    layout, filling, decoder = _layout(schema, kept), Filling(schema, kept), msgspec.json.Decoder(NodeRecord)
    read_lines(text, found, layout, arrays, n_nodes)
    while arrays.n_read < n_nodes:
        try:
            _read_line(text, tree, arrays, filling, decoder)
        except (RefusalError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        read_lines(text, found, layout, arrays, n_nodes)
    first_child: Any = memoryview(tree.first_child)
    n_summed = n_outcomes if schema.is_classification else 1
    if (
        arrays.next_child != n_nodes
        or lightness(tree, is_classification=schema.is_classification) is not None
        or heavier_below(tree.outcomes, n_summed, n_outcomes, first_child, tree.n_branches, 1 + SLACK) >= 0
    ):
        return None
    tree.settle()
    return cast("Tree", tree)


def _read_line(
    text: bytes, tree: Any, arrays: NodeArrays, filling: Filling, decoder: msgspec.json.Decoder[NodeRecord]
) -> None:
    """Read a line that the kernel does not know."""
    node, n_outcomes = arrays.n_read, tree.n_outcomes
    end = text.index(b"\n", arrays.position)
    is_last = node == tree.n_nodes - 1
    if not is_last and text[end - 1 : end] != b",":
        raise RefusalError("no comma follows")
    record = decoder.decode(text[arrays.position : end if is_last else end - 1])
    tree.outcomes[node * n_outcomes : (node + 1) * n_outcomes] = array("d", filling.outcomes(node, record))
    arrays.next_child = filling.fill(tree, node, record, arrays.next_child)
    arrays.n_read, arrays.position = node + 1, end + 1


def _layout(schema: Schema, kept: tuple[str, ...]) -> Layout:
    from treecli.kernels.node_lines import WORDS, Layout
    from treecli.kernels.parsing import Powers
    from treecli.kernels.powers import powers_of_ten

    n_outcomes = schema.n_outcomes
    if schema.is_classification:
        after, before = b"]", [b',"counts":[', *[b","] * (n_outcomes - 1)]
        least, most = [0.0] * n_outcomes, [LARGEST_WEIGHT] * n_outcomes
    else:
        after, before = b"", [b',"%b":' % key.encode() for key in kept]
        least, most = [0.0, -LARGEST_VALUE, 0.0], [LARGEST_WEIGHT, LARGEST_VALUE, LARGEST_SPREAD]
    words = [*WORDS, after, *before]
    column_of_name: dict[bytes, Any] = {
        msgspec.json.encode(column.name)[1:-1]: place
        for place, column in enumerate(schema.columns)
        if column.kind == "numeric"
    }
    joined: Any = b"".join(words)
    bounds: Any = array("i", accumulate(map(len, words), initial=0))
    limits: list[Any] = [memoryview(array("d", each)) for each in (least, most)]
    return Layout(
        words=joined,
        bounds=bounds,
        least=limits[0],
        most=limits[1],
        is_numeric=not schema.is_classification,
        column_of_name=column_of_name,
        threshold_kind=place_of("threshold"),
        powers=Powers(*powers_of_ten()),
    )
