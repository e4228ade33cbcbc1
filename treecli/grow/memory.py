"""Memory that is free, but still counts as the process's own."""

from __future__ import annotations


def return_freed_memory() -> None:
    """Return freed memory to the operating system, which the C library would keep for later.

    Threads that read or sort leave several megabytes each. Other C libraries than glibc do not keep as much.
    """
    from ctypes import CDLL

    try:
        trim = CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return
    trim(0)
