"""Trees that vote on rows that missing values send down several branches, as a query over queries in SQL.

The innermost query has the weight of each leaf, the next one the totals of each tree. Then each class is compared
with the best before it, and the outermost two add up the votes and choose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from treecli.exporters._nesting import summed, sums_of

if TYPE_CHECKING:
    from treecli.exporters._case import Case

INDENT = "  "


def voted(case: Case) -> Iterator[str]:
    """Yield the lines of the query."""
    labels = range(len(case.program.prediction[0]))
    layers = [_weights(case), _totals(case), *(_compared(case, code) for code in labels[1:]), _votes(case)]
    yield f"(SELECT {case.chosen([f'p{code}' for code in labels])} FROM"
    for depth in range(len(layers) - 1, 0, -1):
        kept = "" if depth == len(layers) - 1 else f"layer{depth}.*, "
        yield f"(SELECT {kept}{f',{chr(10)}{INDENT}'.join(layers[depth])} FROM"
    yield f"(SELECT {f',{chr(10)}{INDENT}'.join(layers[0])}) AS layer1"
    yield from (f") AS layer{depth}" for depth in range(2, len(layers) + 1))
    yield ")"


def _roots(case: Case) -> list[int]:
    return [step.child for step in case.program.steps[0]]


def _weights(case: Case) -> list[str]:
    """Return the weight at each leaf of the trees whose rows spread, and the votes of the others."""
    found = []
    for tree, root in enumerate(_roots(case)):
        if root in case.program.votes:
            paths = case.paths(root)
            found += [f"{' * '.join(factors)} AS w{tree}_{place}" for place, (_, factors) in enumerate(paths)]
            continue
        for code in range(len(case.program.prediction[0])):
            lines = case.tree(root, code)
            if lines is not None:
                found.append(f"{' '.join(lines)} AS n{tree}_{code}")
    return found


def _totals(case: Case) -> list[str]:
    """Return the total of each class in each tree whose rows spread, added up in the model's order."""
    found = []
    for tree, root in enumerate(_roots(case)):
        if root not in case.program.votes:
            continue
        terms: list[dict[int, str]] = [{} for _ in case.program.prediction[0]]
        for place, (node, _) in enumerate(case.paths(root)):
            for code, said in case.said(node):
                terms[code][place] = f"w{tree}_{place} * {said}" if said else f"w{tree}_{place}"
        sums = sums_of(case.program, root)
        for code, own in enumerate(terms):
            total = summed(sums, own, lambda members: f"({' + '.join(members)})") or case.number(0.0)
            found.append(f"{total} AS t{tree}_{code}")
    return found


def _compared(case: Case, code: int) -> list[str]:
    """Return the best of the classes up to this one in each tree, and its total: it must lead by more than the tie."""
    found = []
    for tree, root in enumerate(_roots(case)):
        vote = case.program.votes.get(root)
        if vote is None:
            continue
        tie, zero = case.number(vote.tie), case.number(0.0)
        best, label = f"b{tree}_{code - 1}", f"v{tree}_{code - 1}"
        if code == 1:
            best, label = f"CASE WHEN t{tree}_0 > {tie} THEN t{tree}_0 ELSE {zero} END", "0"
        is_better = f"t{tree}_{code} - {best} > {tie}"
        found.append(f"CASE WHEN {is_better} THEN t{tree}_{code} ELSE {best} END AS b{tree}_{code}")
        found.append(f"CASE WHEN {is_better} THEN {code} ELSE {label} END AS v{tree}_{code}")
    return found


def _votes(case: Case) -> list[str]:
    """Return the sum of the votes for each class, in the order of the trees."""
    last, zero = len(case.program.prediction[0]) - 1, case.number(0.0)
    found = []
    for code in range(last + 1):
        terms = []
        for tree, root in enumerate(_roots(case)):
            vote = case.program.votes.get(root)
            if vote is not None:
                amount = f"b{tree}_{last}" if vote.by_share else case.number(vote.weight)
                terms.append(f"CASE WHEN v{tree}_{last} = {code} THEN {amount} ELSE {zero} END")
            elif case.tree(root, code) is not None:
                terms.append(f"n{tree}_{code}")
        found.append(f"{' + '.join(terms) or zero} AS p{code}")
    return found
