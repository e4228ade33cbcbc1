"""Trees that are each grown on other rows of one data set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from treecli.errors import UsageError
from treecli.grow.grow import fast_way, grown
from treecli.kernels import drawing
from treecli.threads import Shared
from treecli.wording import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from treecli.data import Dataset, Schema
    from treecli.settings import Settings
    from treecli.threads import OnWarning
    from treecli.tree import Tree

    IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bagging:
    """How many trees there are, and the rows that each of them is grown on.

    `sample` None draws as many rows as there are, with replacement; a number from 0 to 1 draws this share of them
    without replacement, and 1 takes all.
    """

    n_trees: int
    sample: float | None = None
    seed: int = 0


@dataclass(slots=True)
class Grown:
    """A tree, the schema with the columns derived for it, and how often each row of the data was drawn for it."""

    tree: Tree
    schema: Schema
    n_drawn: IntArray


def grown_trees(
    dataset: Dataset,
    settings: Settings,
    bagging: Bagging,
    *,
    jobs: int | None = None,
    on_warning: OnWarning | None = None,
    on_remark: OnWarning | None = None,
    with_scores: bool = True,
) -> Iterator[Grown]:
    """Yield the trees in the order of their numbers; they do not depend on `jobs`.

    Sentences that differ in their numbers only, such as the number of rows of a tree, are told once. `on_remark` is
    told why the trees are not grown in the fast way, if they are not. The trees of an ensemble keep no scores of
    splits: without them, trees that are grown in the fast way take less time.
    """
    told: set[str] = set()

    def tell_once(tell: OnWarning | None, sentence: str) -> None:
        meaning = re.sub(r"\d+", "", sentence)
        if tell is not None and meaning not in told:
            told.add(meaning)
            tell(sentence)

    fast = fast_way(dataset, settings, lambda sentence: tell_once(on_remark, sentence), with_scores=with_scores)

    def grow_tree(number: int) -> tuple[Grown, list[str]]:
        n_drawn = drawn_rows(dataset.n_rows, bagging, number)
        of_tree = settings.changed(seed=seed_of_tree(settings.computing.seed, number))
        tree = None if fast is None else fast(of_tree, n_drawn)
        if tree is not None:
            return Grown(tree, dataset.schema, n_drawn), []
        rows = np.flatnonzero(n_drawn)
        own = dataset if len(rows) == dataset.n_rows else dataset.take(rows)
        own = replace(own, weights=own.weights * n_drawn[rows])
        warnings: list[str] = []
        tree, schema = grown(own, of_tree, jobs=1, on_warning=warnings.append)
        return Grown(tree, schema, n_drawn), warnings

    with Shared(jobs) as shared:
        for found, warnings in shared.map_ahead(grow_tree, range(bagging.n_trees)):
            for sentence in warnings:
                tell_once(on_warning, sentence)
            yield found


def seed_of_tree(seed: int, number: int) -> int:
    """Return the seed by which the tree with this number is grown.

    The first tree has the seed itself, so that a forest of one tree on all rows is the tree.
    """
    return seed if number == 0 else drawing.root_key(seed, number) >> 1


def drawn_rows(n_rows: int, bagging: Bagging, number: int) -> IntArray:
    """Return how often each row is drawn for the tree with this number."""
    if bagging.sample == 1.0:
        return np.ones(n_rows, np.int64)
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([bagging.seed, number])))
    if bagging.sample is None:
        return np.bincount(generator.integers(n_rows, size=n_rows), minlength=n_rows).astype(np.int64, copy=False)
    n_kept = int(bagging.sample * n_rows + 0.5)
    if n_kept == 0:
        raise UsageError(f"--sample {bagging.sample:g} of {counted(n_rows, 'row')} leaves none")
    n_drawn = np.zeros(n_rows, np.int64)
    n_drawn[generator.permutation(n_rows)[:n_kept]] = 1
    return n_drawn
