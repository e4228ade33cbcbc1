"""The order of the rules, the default label, and the rules that do more harm than good in that order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treecli.simplifiers._generalize import Generalized
from treecli.simplifiers._near import weights_by_code

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from treecli.data import CodeArray, FloatArray

ERROR_DIGITS = 12
"""Errors are compared to this many digits, so that the order of summation does not matter."""


def in_order(rules: Sequence[Generalized], target: CodeArray, weights: FloatArray) -> list[Generalized]:
    """Return the rules grouped by class; the next class is the one with the least weight of false positives.

    Cases that earlier classes cover do not count. Ties: first label. Within a class, rules are sorted by error.
    """
    import numpy as np

    is_left = np.ones(len(weights), bool)
    remaining = {label: [rule for rule in rules if rule.label == label] for label in sorted({r.label for r in rules})}
    ordered: list[Generalized] = []
    while remaining:
        covered = {label: _covered(own, len(weights)) & is_left for label, own in remaining.items()}
        label = min(remaining, key=lambda c: float(weights[covered[c] & (target != c)].sum()))
        ordered += sorted(remaining.pop(label), key=lambda rule: round(rule.error, ERROR_DIGITS))
        is_left &= ~covered[label]
    return ordered


def default_label(rules: Sequence[Generalized], target: CodeArray, weights: FloatArray, n_labels: int) -> int:
    """Return the majority label of the uncovered cases; ties go to the label that is more frequent overall."""
    is_left = ~_covered(rules, len(weights))
    left = weights_by_code(target[is_left], weights[is_left], n_labels)
    of_all = weights_by_code(target, weights, n_labels)
    return max(range(n_labels), key=lambda label: (float(left[label]), float(of_all[label]), -label))


def harmful(
    rules: Sequence[Generalized], default: int, target: CodeArray, weights: FloatArray
) -> list[tuple[Generalized, float, float]]:
    """Return the rules that make more cases wrong than right, in the order in which they are removed.

    The comparison is with the prediction of the next matching rule, or the default. Each rule comes with the weights of
    the cases that it makes right and wrong.
    """
    import numpy as np

    rows = np.concatenate([rule.rows for rule in rules]) if rules else np.empty(0, np.int64)
    position = np.repeat(np.arange(len(rules)), [len(rule.rows) for rule in rules])
    by_row = np.lexsort((position, rows))
    rows, position = rows[by_row], position[by_row]
    label_of = np.array([*(rule.label for rule in rules), default])
    found = []
    while len(rows):
        is_first = np.append(True, rows[1:] != rows[:-1])
        first = np.flatnonzero(is_first)
        has_second = np.append(rows[1:] == rows[:-1], False)[first]
        second = np.where(has_second, position[np.minimum(first + 1, len(rows) - 1)], len(rules))
        decided, by = rows[first], position[first]
        truth, weight = target[decided], weights[decided]
        differs = label_of[by] != label_of[second]
        better, worse = (
            weights_by_code(by, weight * (differs & (label_of[chosen] == truth)), len(rules)) for chosen in (by, second)
        )
        harms = np.flatnonzero(worse > better)
        if not len(harms):
            break
        dropped = int(harms[0])
        found.append((rules[dropped], float(better[dropped]), float(worse[dropped])))
        stays = position != dropped
        rows, position = rows[stays], position[stays]
    return found


def _covered(rules: Sequence[Generalized], n_rows: int) -> NDArray[np.bool_]:
    import numpy as np

    covered = np.zeros(n_rows, bool)
    for rule in rules:
        covered[rule.rows] = True
    return covered
