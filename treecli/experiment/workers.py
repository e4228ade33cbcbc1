"""Many short tasks shared by forked processes, with the results in the order of the tasks.

Threads would not help: on a few hundred rows, most of the time of a task is Python's own. A process takes every n-th
task and writes its results to a pipe of its own, so the parent reads them in order and nobody waits for a queue. If the
parent is killed, the workers end: Linux kills them, elsewhere their next result cannot be written. If a worker is
killed or fails, the parent does its tasks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from typing import IO, Any, NoReturn, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

FEWEST_TASKS = 8
"""Fewer tasks take less time than starting a process for each share of them."""

PR_SET_PDEATHSIG = 1
"""From Linux's prctl.h."""

CAN_FORK = hasattr(os, "fork") and sys.platform != "darwin"
"""On macOS, system libraries do not survive a fork."""


def mapped(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int | None,
    meanwhile: Callable[[], object] | None = None,
    n_parts: int | None = None,
) -> Generator[Result, None, None]:
    """Yield the results in the order of the tasks, whatever the number of processes.

    `meanwhile` is called in this process after the others have begun.

    An error that a task raises is raised here when its turn comes. Without fork, or for few tasks, all of them run in
    this process. Ending the iteration ends the workers. `n_parts` is the number of tasks that the given ones consist
    of, if they have parts.
    """
    n_workers = min(jobs or os.cpu_count() or 1, len(tasks), (n_parts or len(tasks)) // FEWEST_TASKS)
    if n_workers < 2 or not CAN_FORK:
        if meanwhile is not None:
            meanwhile()
        yield from map(work, tasks)
        return
    workers: list[tuple[int, IO[bytes]]] = []
    try:
        for index in range(n_workers):
            workers.append(_started(work, tasks, index, n_workers))
        if meanwhile is not None:
            meanwhile()
        for index in range(len(tasks)):
            received = _received(workers[index % n_workers][1])
            yield received[0] if received else work(tasks[index])
    finally:
        _ended(workers)


def _started(work: Callable[[Any], Any], tasks: Sequence[Any], index: int, n_workers: int) -> tuple[int, IO[bytes]]:
    """Return the id of a new process that does every n-th task from `index` on, and the pipe that it writes to."""
    import warnings

    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    with warnings.catch_warnings():
        # Newer versions of Python warn if any thread runs; numpy's own threads survive a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process == 0:
        os.close(reading)
        _end_with(parent)
        _work(work, (tasks[place] for place in range(index, len(tasks), n_workers)), writing)
    os.close(writing)
    return process, open(reading, "rb")


def _end_with(parent: int) -> None:
    """Have Linux kill this process when its parent ends, however long its task takes."""
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    with suppress(OSError, AttributeError):  # a C library without prctl
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(0)


def _work(work: Callable[[Any], Any], tasks: Iterable[Any], writing: int) -> NoReturn:
    """Write the result of each task and leave the process; an error ends it, and the parent meets it again."""
    import pickle
    import signal

    # The parent is interrupted as well, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with open(writing, "wb") as pipe:
            for task in tasks:
                pipe.write(pickle.dumps((work(task),), pickle.HIGHEST_PROTOCOL))
                pipe.flush()
    finally:
        os._exit(0)


def _received(pipe: IO[bytes]) -> tuple[Any, ...]:
    """Return the next result of a worker in a tuple, which is empty if the worker has ended."""
    import pickle

    try:
        received: tuple[Any, ...] = pickle.load(pipe)
    except (EOFError, pickle.UnpicklingError):
        return ()
    return received


def _ended(workers: Sequence[tuple[int, IO[bytes]]]) -> None:
    """Close the pipes, end the processes that still run, and wait for them."""
    import signal

    for process, pipe in workers:
        pipe.close()
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    for process, _ in workers:
        with suppress(ChildProcessError):
            os.waitpid(process, 0)
