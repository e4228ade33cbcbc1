"""How the C library keeps memory that was freed."""

from __future__ import annotations

import ctypes

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""The numbers of parameters in glibc's malloc.h."""

LEAST_BYTES = 1 << 22


def return_freed_memory() -> None:
    """Let arrays of LEAST_BYTES and more return to the system when they are freed.

    glibc keeps most of them otherwise, in pieces that do not fit the next ones, so that a ceiling of memory would be
    exceeded by memory that is not in use. Other C libraries have no such setting.
    """
    try:
        set_parameter = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    set_parameter(M_MMAP_THRESHOLD, LEAST_BYTES)
    set_parameter(M_TRIM_THRESHOLD, LEAST_BYTES)
