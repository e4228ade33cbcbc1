"""The settings that an engine that counts does not support, and the memory that it may use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from treecli.errors import UsageError
from treecli.grow.coded import MOST_VALUES
from treecli.options.sampling import ALL
from treecli.settings.searching import GREEDY

if TYPE_CHECKING:
    from treecli.data import Schema
    from treecli.grow.coded import CodedData
    from treecli.settings import Settings

BYTES_OF_PROCESS = 160 << 20
"""The program itself with its libraries."""

BYTES_PER_VALUE = 45
"""Of memory that growing takes per row and attribute, sorted orders, their copies and nodes included.

A full tree of 14 attributes, half of them nominal, takes 400 bytes a row (`python -m bench.memory`); the rest is room
that is reserved for nodes and not used, which counts where the system limits the size of a process.
"""

BYTES_PER_ROW = 70

BYTES_PER_GROWN_NODE = 300
"""Of a node while a subtree grows, without its outcomes, which are kept three times; measured on labels that do not
predict the class."""

MANY_BRANCHES = 8
SHARE_OF_NODES = 8
"""If splits have many branches, a row may make as many nodes; the ceiling divided by the share is for them."""

BYTES_PER_SORTED_ROW = 72
"""Of memory that counting a column of very many values takes: node, value and class of every row, and their order."""

BYTES_PER_RANGED_ROW = 48
"""Of memory that a range of such a column takes: node, value and class of every row, their order and copies."""

SHARE_OF_COUNTERS = 8
SHARE_OF_DATABASE = 3
"""The ceiling divided by this is for counters, and for the buffers of the database."""

BYTES_PER_PART = 80
SHARE_OF_PARTS = 8
"""The ceiling divided by this is for parts of rows with missing values."""

BYTES_TO_PREDICT = 200
"""Of a node with its routes, without its outcomes, which are kept five times."""

MARGIN_OF_TREE, LEAST_SHARE = 1.1, 1e-3
"""The size of a tree of which a share of the rows is grown is estimated with this margin."""

LEAST_MEMORY = 320 << 20


class Ceiling(NamedTuple):
    """The most memory that the process may take, in bytes."""

    memory: int

    @property
    def for_database(self) -> int:
        return self.memory // SHARE_OF_DATABASE

    @property
    def for_counters(self) -> int:
        return self.memory // SHARE_OF_COUNTERS

    @property
    def most_parts(self) -> int:
        """How many parts of rows with missing values are carried."""
        return self.memory // SHARE_OF_PARTS // BYTES_PER_PART

    @property
    def most_sorted(self) -> int:
        """How many rows of a numeric column of very many values are sorted at a time."""
        room = self.memory - BYTES_OF_PROCESS - self.for_counters - self.memory // SHARE_OF_PARTS
        return max(room // BYTES_PER_RANGED_ROW, 1)

    def check_sorting(self, data: CodedData, *, all_cuts: bool) -> None:
        """Raise a UsageError if the rows do not fit into memory with one column that is sorted as a whole.

        These are columns of very many labels, and with `all_cuts` also of very many numbers.
        """
        many = [
            a
            for a, column in enumerate(data.columns)
            if not column.is_dense and (all_cuts or data.schema.attributes[a].kind == "nominal")
        ]
        needed = BYTES_OF_PROCESS + self.for_counters + BYTES_PER_SORTED_ROW * data.n_cases
        if many and data.n_cases > self.most_rows(len(data.columns)) and needed > self.memory:
            name = data.schema.attributes[many[0]].name
            fixed = 1 - 1 / SHARE_OF_COUNTERS
            enough = int((BYTES_OF_PROCESS + BYTES_PER_SORTED_ROW * data.n_cases) / fixed) // (1 << 20) + 1
            raise UsageError(
                f"--memory: '{name}' has more than {MOST_VALUES} distinct values, and {data.n_cases} rows of it are "
                f"sorted at a time, which {self.memory >> 20} MB do not suffice for",
                f"give --memory {enough}MB, leave the column out with -x, or make its values fewer with --query",
            )

    def check_tree(self, n_bytes: int, share: float) -> None:
        """Raise a UsageError if a tree takes too much memory, given what it takes so far and the share that is grown.

        The rows, and the counts of levels, are not in memory when the tree is made.
        """
        if BYTES_OF_PROCESS + n_bytes > self.memory:
            whole = n_bytes if share == 1 else int(MARGIN_OF_TREE * n_bytes / max(share, LEAST_SHARE))
            size = f"{'' if share == 1 else 'about '}{whole >> 20} MB"
            raise UsageError(
                f"--memory: the tree takes {size}, and {self.memory >> 20} MB do not suffice for it and the program",
                f"give --memory {(BYTES_OF_PROCESS + whole >> 20) + 1}MB, or grow a smaller tree: --max-depth, "
                "--min-leaf or --min-split",
            )

    def can_predict(self, n_nodes: int, n_outcomes: int) -> bool:
        """Return whether rows can be predicted by a tree of so many nodes that is in memory."""
        return BYTES_OF_PROCESS + n_nodes * (BYTES_TO_PREDICT + 40 * n_outcomes) <= self.memory

    def most_rows(self, n_attributes: int, n_branches: int = 2) -> int:
        """Return how many rows the memory engine can hold; the database is closed by then.

        With many branches to a split, nodes have room of their own.
        """
        room = self.memory - BYTES_OF_PROCESS - self.for_counters
        if n_branches >= MANY_BRANCHES:
            room -= self.memory // SHARE_OF_NODES
        return max(room // (BYTES_PER_ROW + BYTES_PER_VALUE * n_attributes), 1)

    def most_nodes(self, n_branches: int, n_outcomes: int) -> int | None:
        """Return how many nodes of subtrees are grown at a time; None if rows make few nodes."""
        if n_branches < MANY_BRANCHES:
            return None
        return self.memory // SHARE_OF_NODES // (BYTES_PER_GROWN_NODE + 24 * n_outcomes)


def ceiling_of(memory: int | None) -> Ceiling:
    """Return the ceiling; None: half of the machine's memory."""
    if memory is None:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    if memory < LEAST_MEMORY:
        raise UsageError(
            f"--memory: {memory >> 20} MB do not suffice for the program itself",
            f"give at least {LEAST_MEMORY >> 20}MB",
        )
    return Ceiling(memory)


def refuse(engine: str, settings: Settings, schema: Schema) -> None:
    """Raise a UsageError if the settings cannot be followed from counts."""
    splitting, stopping, inputs = settings.splitting, settings.stopping, settings.inputs
    predicting = settings.predicting
    memory = "use --engine memory"
    arithmetic = settings.computing.arithmetic
    refusals = [
        (
            splitting.criterion == "absolute",
            "--criterion absolute needs the medians of rows",
            "use --criterion variance or sdr",
        ),
        (
            arithmetic != "sums" or predicting.single_precision or settings.stopping.counts_rows,
            f"the arithmetic of another program ('{arithmetic}') needs the rows one by one",
            f"leave out --like, or {memory}",
        ),
        (
            splitting.threshold != "midpoint",
            f"--threshold {splitting.threshold} needs all values",
            "use --threshold midpoint",
        ),
        (splitting.is_strict, "a value that equals a threshold goes up", memory),
        (splitting.discretize != "none", f"--discretize {splitting.discretize} needs all values sorted", memory),
        (
            splitting.nominal == "merged" and any(a.kind == "ordinal" for a in schema.attributes),
            "--nominal merged treats ordinal attributes as bins",
            f"{memory}, or --nominal multiway, binary or subset",
        ),
        (not settings.missing.blank_rows, "rows without any value do not count", memory),
        (bool(splitting.splits), "--splits derives columns from rows", memory),
        (
            settings.missing.policy == "surrogate",
            "--missing surrogate compares rows",
            "use --missing branch or majority",
        ),
        (
            settings.searching.search != GREEDY,
            f"--search {settings.searching.search} looks at rows",
            "use --search greedy",
        ),
        (settings.sampling.features != ALL, "--features draws attributes", memory),
        (inputs.project is not None, "--project derives columns from rows", f"{memory}, or 'treecli project' before"),
        (inputs.winnow, "--winnow grows trees on parts of the rows", memory),
        (inputs.force is not None, "--force chooses attributes in an order of their own", memory),
        (inputs.monotone is not None, "--monotone compares rows", memory),
        (inputs.attribute_costs is not None, "--attribute-costs changes the ranking", memory),
        (settings.computing.competitors > 0, "--competitors observes every level", memory),
        (stopping.pure_share < 1, "C5.0's pure nodes are not tried from counts", f"leave out --like, or {memory}"),
        (stopping.cp is not None or stopping.least_share > 0, "splits are compared with the whole tree (cp)", memory),
        (
            predicting.priors is not None or predicting.costs is not None,
            "--priors and --costs weigh classes by fractions",
            memory,
        ),
        (predicting.has_models, "models at leaves are fitted to rows", memory),
    ]
    for is_refused, reason, cure in refusals:
        if is_refused:
            raise UsageError(f"--engine {engine}: {reason}", cure)
