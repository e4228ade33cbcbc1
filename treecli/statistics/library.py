"""The part of SciPy that the tests use, imported when a test runs."""

from __future__ import annotations

from typing import Any

from treecli.errors import UsageError


def distributions(command: str = "compare") -> Any:
    """Return scipy.stats; a UsageError that names the command if SciPy is not installed."""
    try:
        import scipy.stats
    except ImportError:
        raise UsageError(f"{command} needs scipy", "pip install 'treecli[experiments]'") from None
    return scipy.stats
