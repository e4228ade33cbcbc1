"""Removing temporary files before a signal ends the process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def removed_on_signal(remove: Callable[[], None]) -> Iterator[None]:
    """Calls `remove` before SIGTERM or SIGHUP ends the process; the process still dies by the signal.

    The handlers are installed only inside the block: elsewhere the default ends the process at once, even in a compiled
    loop. Signals that are already ignored (nohup) or handled are left alone.
    """

    def handle(number: int, frame: object) -> None:
        remove()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    is_main = current_thread() is main_thread()
    mine = [number for number in ENDING if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in mine:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, signal.SIG_DFL)
