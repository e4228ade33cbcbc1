"""The parts of SciPy that the tests use, imported when a test runs."""

from __future__ import annotations

from typing import Any

from treecli.errors import UsageError


def check(command: str = "compare") -> None:
    """Raise a UsageError that names the command if SciPy is not installed; it is not imported, which takes time."""
    from importlib.util import find_spec

    try:
        is_there = find_spec("scipy") is not None
    except ValueError:  # a module without a specification
        is_there = False
    if not is_there:
        raise _lacking(command)


def functions(command: str = "compare") -> Any:
    """Return scipy.special, which loads in a quarter of the time of scipy.stats; a UsageError without SciPy."""
    try:
        import scipy.special
    except ImportError:
        raise _lacking(command) from None
    return scipy.special


def studentized_range(command: str = "compare") -> Any:
    """Return the distribution of the studentized range; a UsageError that names the command without SciPy."""
    try:
        import scipy.stats
    except ImportError:
        raise _lacking(command) from None
    return scipy.stats.studentized_range


def _lacking(command: str) -> UsageError:
    return UsageError(f"{command} needs scipy", "pip install 'treecli[experiments]'")
