"""Running a peer that is a Python library: whether it is installed, and the command that runs its script."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.works import Task


def is_installed(library: str) -> bool:
    return find_spec(library) is not None


def command(peer: str, action: str, task: Task) -> list[str]:
    """The command that fits or scores the task's model."""
    depth = [] if task.depth is None else ["--depth", str(task.depth)]
    files = [str(task.data), str(task.model(peer))]
    return [sys.executable, "-m", f"bench.peers.{peer}", action, *files, *depth, "--criterion", task.criterion]
