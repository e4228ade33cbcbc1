"""How the C library keeps memory that was freed."""

from __future__ import annotations

import ctypes
import sys
from mmap import PAGESIZE
from typing import Any

import numpy as np

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""The numbers of parameters in glibc's malloc.h."""

MADV_DONTNEED = 4
"""Of Linux's madvise: the pages are not needed any more."""

LEAST_TRIMMED = 1 << 22
"""The end of the heap returns to the system if this many bytes of it are free."""


def return_freed_memory(least_bytes: int) -> None:
    """Let arrays of at least so many bytes return to the system when they are freed.

    glibc keeps most of them otherwise, in pieces that do not fit the next ones, so that a ceiling of memory would be
    exceeded by memory that is not in use. Other C libraries have no such setting.
    """
    set_parameter = _function("mallopt")
    if set_parameter is not None:
        set_parameter(M_MMAP_THRESHOLD, least_bytes)
        set_parameter(M_TRIM_THRESHOLD, LEAST_TRIMMED)


def return_freed_pages() -> None:
    """Return the pages of arrays that were freed to the system: threads leave several megabytes each."""
    trim = _function("malloc_trim")
    if trim is not None:
        trim(0)


def return_pages_of(values: np.ndarray) -> None:
    """Return the pages of an array to the system, if it can, before the array is freed. Its values are lost.

    The array is contiguous, and a part of a larger one that is not shared with other processes.
    """
    advise = _function("madvise") if sys.platform == "linux" else None
    begin = -(-values.ctypes.data // PAGESIZE) * PAGESIZE
    end = (values.ctypes.data + values.nbytes) // PAGESIZE * PAGESIZE
    if advise is not None and begin < end:
        advise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), MADV_DONTNEED)


def _function(name: str) -> Any | None:
    """Return a function of glibc; None with another C library."""
    try:
        return getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):
        return None
