"""Pipes with a content, as the shell's <(…) makes them."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread


def piped(path: Path, content: bytes) -> Path:
    """The path, now a pipe that gives this content once."""
    os.mkfifo(path)
    # A writer waits for a reader; if none comes, the test fails and the thread ends with the process.
    Thread(target=path.write_bytes, args=(content,), daemon=True).start()
    return path
