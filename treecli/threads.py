"""Work distributed over threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import cpu_count
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

FEW_CASES = 20_000
"""With fewer cases, threads cost more than they save."""

OnProgress = Callable[[float], None]
"""Called from time to time with the share of the work that is done."""

OnWarning = Callable[[str], None]
"""Called with a warning for the user."""

Result = TypeVar("Result")


class Shared:
    """A pool of `jobs` threads (None: all cores), started when there is work for more than one."""

    def __init__(self, jobs: int | None) -> None:
        self._n_threads = jobs or cpu_count() or 1
        self._threads: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown()

    def map(self, work: Callable[[Any], Result], tasks: Iterable[Any]) -> Iterable[Result]:
        """The results in the order of the tasks."""
        if self._n_threads == 1:
            return map(work, tasks)
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor

            self._threads = ThreadPoolExecutor(self._n_threads)
        return self._threads.map(work, tasks)

    def do(self, work: Callable[[Any], None], tasks: Iterable[Any]) -> None:
        for _ in self.map(work, tasks):
            pass
