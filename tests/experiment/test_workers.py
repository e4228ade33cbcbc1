"""Tasks shared by processes."""

from __future__ import annotations

import os
import signal

import pytest

from treecli.experiment.workers import mapped


@pytest.mark.parametrize("jobs", [1, 2, 3, 16])
def test_results_are_in_the_order_of_the_tasks(jobs: int) -> None:
    tasks = list(range(50))
    assert list(mapped(lambda n: n * n, tasks, jobs)) == [n * n for n in tasks]


def test_the_work_is_shared_by_other_processes() -> None:
    assert len(set(mapped(lambda _: os.getpid(), range(40), 3)) - {os.getpid()}) == 3


def test_results_larger_than_a_pipe_arrive() -> None:
    assert [len(text) for text in mapped(lambda n: "x" * (n * 100_000), range(20), 2)] == [
        n * 100_000 for n in range(20)
    ]


def test_an_error_is_raised_when_its_turn_comes() -> None:
    def work(n: int) -> int:
        if n == 17:
            raise ValueError("17 is bad")
        return n

    found = mapped(work, range(40), 2)
    assert [next(found) for _ in range(17)] == list(range(17))
    with pytest.raises(ValueError, match="17 is bad"):
        next(found)


def test_the_tasks_of_a_killed_worker_are_done_by_the_parent() -> None:
    parent = os.getpid()

    def work(n: int) -> int:
        if n == 5 and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return -n

    assert list(mapped(work, range(30), 2)) == [-n for n in range(30)]


def test_no_process_is_left_over_if_the_iteration_ends_early() -> None:
    found = mapped(lambda n: os.getpid(), range(1000), 2)
    workers = {next(found), next(found)}
    found.close()  # type: ignore[attr-defined]
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)
