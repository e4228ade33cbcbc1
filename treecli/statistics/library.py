"""The part of SciPy that the tests use, imported when a test runs."""

from __future__ import annotations

from typing import Any

from treecli.errors import UsageError


def check(command: str = "compare") -> None:
    """Raise a UsageError that names the command if SciPy is not installed; it is not imported, which takes a second."""
    from importlib.util import find_spec

    try:
        is_there = find_spec("scipy") is not None
    except ValueError:  # a module without a specification
        is_there = False
    if not is_there:
        raise _lacking(command)


def distributions(command: str = "compare") -> Any:
    """Return scipy.stats; a UsageError that names the command if SciPy is not installed."""
    try:
        import scipy.stats
    except ImportError:
        raise _lacking(command) from None
    return scipy.stats


def _lacking(command: str) -> UsageError:
    return UsageError(f"{command} needs scipy", "pip install 'treecli[experiments]'")
