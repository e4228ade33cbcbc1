"""Ways to search for a tree: each is a module with a function `grow`.

Model files name searches, and commands such as `show` read them without numpy. So a module imports what it grows with
inside `grow`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from treecli.data import Dataset
    from treecli.grow.nodes import Nodes
    from treecli.grow.observe import Observer
    from treecli.kernels.args import Plan
    from treecli.options.option import Number
    from treecli.settings import Settings
    from treecli.threads import OnProgress, OnWarning


class Suffix(NamedTuple):
    """The number after the colon of a search: its letter in messages, its range, and the value if it is not given.

    If `usual` is None, it must be given.
    """

    letter: str
    number: Number
    usual: int | None = None


class Search(Protocol):
    """One way to search.

    SUFFIX describes the number after the colon, or is None. SETTINGS are the names of the settings, of the group
    `searching`, that this search uses; the options of the others are refused.
    """

    SUFFIX: Suffix | None
    SETTINGS: tuple[str, ...]

    def check(self, settings: Settings) -> None:
        """Raise a UsageError if the search does not support other settings."""
        ...

    def grow(
        self,
        dataset: Dataset,
        plan: Plan,
        *,
        number: int | None,
        jobs: int | None,
        observers: Sequence[Observer],
        on_progress: OnProgress | None,
        on_warning: OnWarning | None,
        on_note: OnWarning | None,
    ) -> Nodes:
        """Return the nodes of the tree in level order; add to plan.remarks how they were grown.

        `number` is the one after the colon, or the usual one. `on_note` is told what the search will take, before it
        begins.
        """
        ...
