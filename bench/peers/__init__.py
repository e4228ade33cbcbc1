"""The other programs, one module each; libraries are run as `python -m bench.peers.NAME fit DATA MODEL`.

A file says what it is called (TITLE), how it is to be had (SOURCE), whether it is here (is_here), which work it can do
(can) and with which command (fit_command, score_command).
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The names of all peers."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


def load(name: str) -> ModuleType:
    """The peer with this name."""
    return importlib.import_module(f"bench.peers.{name}")
