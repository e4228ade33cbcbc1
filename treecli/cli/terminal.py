"""What is said, where and how loudly: results on stdout, everything else on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

import click

from treecli.wording import printable

Color = Literal["auto", "always", "never"]


@dataclass(slots=True)
class Voice:
    """How much is said, and whether in colour."""

    quiet: bool = False
    verbose: bool = False
    color: Color = "auto"


def voice() -> Voice:
    """The voice of the running command."""
    context = click.get_current_context(silent=True)
    return Voice() if context is None else context.ensure_object(Voice)


def is_colored(stream: object) -> bool:
    """Whether text for this stream may carry colours."""
    color = voice().color
    if color == "auto":
        return not os.environ.get("NO_COLOR") and bool(getattr(stream, "isatty", bool)())
    return color == "always"


def results(pieces: Iterable[str], output: str | None = None, *, is_safe: bool = False) -> None:
    """Writes a command's result to a file, or to stdout as it is made.

    Files and pipes get the text as it is. A terminal gets it with control characters escaped, unless it `is_safe`: a
    form that escapes those of values itself, and may hold colours.
    """
    from treecli.files.guard import STREAM
    from treecli.files.whole import write_whole

    write_whole(output or STREAM, (piece.encode() for piece in pieces), is_safe=is_safe)


def say(text: str, heading: str = "", color: str | None = None) -> None:
    """Prints a line on stderr with every control character escaped, after a heading in a colour.

    Every message passes here. A stderr that is closed or full loses the message and changes nothing else.
    """
    line = click.style(heading, fg=color) + printable(text) if heading else printable(text)
    with suppress(OSError):
        click.echo(line, err=True, color=is_colored(sys.stderr))


def note(text: str) -> None:
    """Says on stderr what happened, unless that was not wanted."""
    if not voice().quiet:
        say(text)


def detail(text: str) -> None:
    """Says on stderr what only --verbose asks for."""
    if voice().verbose:
        say(text)


def warn(text: str) -> None:
    """Says on stderr what a user should look at."""
    if not voice().quiet:
        say(text, "Warning: ", "yellow")


class Progress:
    """A bar on stderr that appears once work has gone on for a while; it needs a terminal."""

    DELAY_SECONDS = 1.0

    def __init__(self, label: str) -> None:
        self._label = label
        self._shown = not voice().quiet and sys.stderr.isatty()
        self._bar: object | None = None
        self._begun = 0.0

    def __call__(self, share: float) -> None:
        """Shows how much of the work, from 0 to 1, is done."""
        if not self._shown:
            return
        from time import monotonic

        self._begun = self._begun or monotonic()
        if self._bar is None and monotonic() - self._begun < self.DELAY_SECONDS:
            return
        from rich.console import Console
        from rich.progress import Progress as Bar

        if self._bar is None:
            self._bar = bar = Bar(console=Console(stderr=True), transient=True)
            bar.add_task(_without_markup(self._label), total=1.0)
            bar.start()
        assert isinstance(self._bar, Bar)
        self._bar.update(self._bar.task_ids[0], completed=share)

    def close(self) -> None:
        if self._bar is not None:
            from rich.progress import Progress as Bar

            assert isinstance(self._bar, Bar)
            self._bar.stop()


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """A progress bar for a piece of work, taken away when the work ends."""
    bar = Progress(label)
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """A moving sign on stderr for work whose share cannot be told; it needs a terminal."""
    if voice().quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(_without_markup(label)):
        yield


def _without_markup(label: str) -> str:
    """A label that rich shows as it is, and that no file's name can make anything else of."""
    from rich.markup import escape

    return escape(printable(label))
