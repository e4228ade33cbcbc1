"""Class weights that are kept sparsely."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from treecli.outcomes.counts import SparseCounts, joined
from treecli.outcomes.rows import MANY_CLASSES, SparseRow, as_json, combined, heaviest, present, row_of, row_with, total

N = MANY_CLASSES + 6


def weights(**at: float) -> list[float]:
    """Weights of N classes, by place: a=2.0 is 2 at place 0."""
    listed = [0.0] * N
    for letter, weight in at.items():
        listed["abcdefghijklmnopqrstuvwxyz".index(letter)] = weight
    return listed


@pytest.mark.parametrize("n", [1, MANY_CLASSES, MANY_CLASSES + 1])
def test_a_row_of_many_classes_is_sparse_and_reads_like_a_list(n: int) -> None:
    given = [float(code % 3) for code in range(n)]
    row = row_of(given)
    assert isinstance(row, SparseRow) == (n > MANY_CLASSES)
    assert (list(row), len(row), row[0], row[-1], row.tolist()) == (given, n, given[0], given[-1], given)
    assert total(row) == sum(given)
    assert heaviest(row) == given.index(max(given))
    assert dict(present(row)) == {code: weight for code, weight in enumerate(given) if weight}
    assert row == row_with(present(given), n)


def test_the_first_of_equal_classes_is_the_heaviest_and_of_none_the_first() -> None:
    assert heaviest(row_of(weights(c=2.0, f=3.0, k=3.0))) == 5
    assert heaviest(row_of(weights())) == 0


def test_rows_are_combined_class_by_class_and_zeros_are_dropped() -> None:
    one, other = weights(a=2.0, c=1.0), weights(c=1.0, d=4.0)
    found = combined([row_of(one), row_of(other)], lambda pair: pair[0] - pair[1])
    assert found == row_of(weights(a=2.0, d=-4.0))
    assert combined([array("d", [1, 2]), array("d", [3, 4])], sum) == array("d", [4, 6])


def test_in_files_only_the_classes_with_cases_are_named() -> None:
    labels = [f"L{code}" for code in range(N)]
    assert as_json(row_of(weights(b=1.5, d=2.0)), labels) == {"L1": 1.5, "L3": 2.0}
    assert as_json(array("d", [1.0, 0.0]), ["p", "q"]) == [1.0, 0.0]


def test_counts_of_nodes_turn_into_matrices_and_back() -> None:
    matrix = np.array([weights(a=1.0), weights(), weights(b=2.0, e=0.5), weights(z=3.0)])
    counts = SparseCounts.of_matrix(matrix)
    assert (len(counts), len(counts.code)) == (4, 4)
    np.testing.assert_array_equal(counts.matrix(np.array([3, 1, 2])), matrix[[3, 1, 2]])
    np.testing.assert_array_equal(np.vstack([part for _, part in counts.blocks()]), matrix)
    assert counts.totals() == [1.0, 0.0, 2.5, 3.0]
    assert counts.most() == [1.0, 0.0, 2.0, 3.0]
    assert counts.taken([2, 0]) == counts.taken_at(np.array([2, 0])) == SparseCounts.of_matrix(matrix[[2, 0]])
    assert joined([counts.taken([0]), counts.taken([1, 2, 3])]) == counts
    assert counts[2] == row_of(matrix[2].tolist())
