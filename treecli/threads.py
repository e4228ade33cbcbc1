"""Work distributed over threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from os import cpu_count
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

FEW_CASES = 20_000
"""With fewer cases, threads cost more than they save."""

MANY_ROWS = 100_000
"""With so many rows or more, memory that is freed returns to the system, although new memory costs time."""

AHEAD = 2
"""How many tasks per thread are begun before their results are asked for."""

OnProgress = Callable[[float], None]
"""Called from time to time with the share of the work that is done."""

OnWarning = Callable[[str], None]
"""Called with a warning for the user."""

Result = TypeVar("Result")


class Shared:
    """A pool of `jobs` threads (None: all cores), started when there is work for more than one."""

    def __init__(self, jobs: int | None) -> None:
        self.n_threads = jobs or cpu_count() or 1
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
        if self.n_threads == 1:
            return map(work, tasks)
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor

            self._threads = ThreadPoolExecutor(self.n_threads)
        return self._threads.map(work, tasks)

    def map_ahead(self, work: Callable[[Any], Result], tasks: Iterable[Any]) -> Iterator[Result]:
        """Yield the results in the order of the tasks; at most two tasks per thread are begun ahead of it."""
        if self.n_threads == 1:
            yield from map(work, tasks)
            return
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor

            self._threads = ThreadPoolExecutor(self.n_threads)
        begun: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                begun.append(self._threads.submit(work, task))
                if len(begun) >= AHEAD * self.n_threads:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for waiting in begun:
                waiting.cancel()

    def do(self, work: Callable[[Any], None], tasks: Iterable[Any]) -> None:
        for _ in self.map(work, tasks):
            pass
