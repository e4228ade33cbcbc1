"""Trees that are each grown on other rows of one data set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treecli.errors import UsageError
from treecli.grow.grow import grown
from treecli.wording import counted

if TYPE_CHECKING:
    import numpy as np
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
) -> Iterator[Grown]:
    """Yield the trees in the order of their numbers; they do not depend on `jobs`."""
    import numpy as np

    told: set[str] = set()

    def warn_once(warning: str) -> None:
        if on_warning is not None and warning not in told:
            told.add(warning)
            on_warning(warning)

    for number in range(bagging.n_trees):
        n_drawn = drawn_rows(dataset.n_rows, bagging, number)
        rows = np.flatnonzero(n_drawn)
        own = dataset if len(rows) == dataset.n_rows else dataset.take(rows)
        own = replace(own, weights=own.weights * n_drawn[rows])
        of_tree = settings.changed(seed=seed_of_tree(settings.computing.seed, number))
        tree, schema = grown(own, of_tree, jobs=jobs, on_warning=warn_once)
        yield Grown(tree, schema, n_drawn)


def seed_of_tree(seed: int, number: int) -> int:
    """Return the seed by which the tree with this number is grown.

    The first tree has the seed itself, so that a forest of one tree on all rows is the tree.
    """
    from treecli.kernels import drawing

    return seed if number == 0 else drawing.root_key(seed, number) >> 1


def drawn_rows(n_rows: int, bagging: Bagging, number: int) -> IntArray:
    """Return how often each row is drawn for the tree with this number."""
    import numpy as np

    if bagging.sample == 1.0:
        return np.ones(n_rows, np.int64)
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence([bagging.seed, number])))
    if bagging.sample is None:
        return np.bincount(generator.integers(n_rows, size=n_rows), minlength=n_rows).astype(np.int64)
    n_kept = int(bagging.sample * n_rows + 0.5)
    if n_kept == 0:
        raise UsageError(f"--sample {bagging.sample:g} of {counted(n_rows, 'row')} leaves none")
    n_drawn = np.zeros(n_rows, np.int64)
    n_drawn[generator.permutation(n_rows)[:n_kept]] = 1
    return n_drawn
