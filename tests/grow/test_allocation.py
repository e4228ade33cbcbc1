"""Memory that is returned to the system before its array is freed."""

from __future__ import annotations

import sys
from mmap import PAGESIZE
from pathlib import Path

import numpy as np
import pytest

from treecli.grow.allocation import return_pages_of

N = 1 << 23
"""Numbers of 4 bytes."""


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGESIZE


@pytest.mark.skipif(sys.platform != "linux", reason="needs madvise and /proc")
def test_the_pages_of_a_part_are_returned_and_no_other_value_is_lost() -> None:
    values = np.arange(N, dtype=np.uint32)
    begin, end = 1001, N - 999
    before = resident_bytes()
    return_pages_of(values[begin:end])
    assert before - resident_bytes() > 0.9 * values.nbytes
    assert values[:begin].tolist() == list(range(begin))
    assert values[end:].tolist() == list(range(end, N))


def test_a_part_without_a_whole_page_is_left_alone() -> None:
    values = np.arange(PAGESIZE // 4, dtype=np.uint32)
    return_pages_of(values[3:-3])
    assert values.tolist() == list(range(len(values)))
