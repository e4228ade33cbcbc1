"""Output: results on stdout, messages on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal

import click

from treecli.records import dataclass
from treecli.wording import printable

Color = Literal["auto", "always", "never"]


@dataclass(slots=True)
class Voice:
    """Verbosity and colour of the messages."""

    quiet: bool = False
    verbose: bool = False
    color: Color = "auto"


def voice() -> Voice:
    """The verbosity and colour settings of the running command."""
    context = click.get_current_context(silent=True)
    return Voice() if context is None else context.ensure_object(Voice)


def is_colored(stream: object) -> bool:
    """Whether text for this stream may be coloured."""
    color = voice().color
    if color == "auto":
        return not os.environ.get("NO_COLOR") and bool(getattr(stream, "isatty", bool)())
    return color == "always"


def results(pieces: Iterable[str], output: str | None = None, *, is_safe: bool = False) -> None:
    """Writes a command's result to a file, or to stdout as it is produced.

    Files and pipes get the text unchanged. A terminal gets it with control characters escaped, unless it `is_safe`: a
    format that escapes values itself and may contain colours.
    """
    from treecli.files.guard import STREAM
    from treecli.files.whole import write_whole

    write_whole(output or STREAM, (piece.encode() for piece in pieces), is_safe=is_safe)


def refuse_binary(format: str, output: str | None, hint: str, option: str = "--to") -> None:
    """Raises a UsageError if a binary format would go to a terminal."""
    from treecli import plugins
    from treecli.errors import UsageError
    from treecli.files.guard import STREAM

    is_binary = getattr(plugins.load("writers", format), "IS_BINARY", False)
    if is_binary and output in (None, STREAM) and sys.stdout.isatty():
        raise UsageError(f"{option} {format}: a terminal cannot show it", hint)


def say(text: str, heading: str = "", color: str | None = None) -> None:
    """Prints a line on stderr with control characters escaped, after a coloured heading.

    All messages are printed here. If stderr is closed or full, the message is lost and nothing else changes.
    """
    line = click.style(heading, fg=color) + printable(text) if heading else printable(text)
    with suppress(OSError):
        click.echo(line, err=True, color=is_colored(sys.stderr))


def note(text: str) -> None:
    """Prints a message on stderr unless --quiet."""
    if not voice().quiet:
        say(text)


def detail(text: str) -> None:
    """Prints a message on stderr if --verbose."""
    if voice().verbose:
        say(text)


def warn(text: str) -> None:
    """Prints a warning on stderr unless --quiet."""
    if not voice().quiet:
        say(text, "Warning: ", "yellow")


def hint(text: str) -> None:
    """Prints a hint on stderr unless --quiet."""
    if not voice().quiet:
        say(text, "Hint: ", "cyan")


class Progress:
    """A progress bar on stderr that appears after a delay, on a terminal only."""

    DELAY_SECONDS = 1.0

    def __init__(self, label: str) -> None:
        self._label = label
        self.is_shown = not voice().quiet and sys.stderr.isatty()
        self._bar: object | None = None
        self._begun = 0.0
        self._more = ""
        self._share = 0.0

    def __call__(self, share: float) -> None:
        """Shows the share of the work that is done, from 0 to 1."""
        if not self.is_shown:
            return
        self._share = share
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
        self._bar.update(self._bar.task_ids[0], completed=share, description=_without_markup(self._label + self._more))

    def error(self, n_trees: int, error: float) -> None:
        """Shows the out-of-bag error of a number of trees with the next share."""
        self._more = f" ({n_trees} trees, out-of-bag error {error:.4g})"

    def tell(self, text: str) -> None:
        """Shows a text beside the share of the work."""
        self._more = f" ({text})"
        self(self._share)

    def close(self) -> None:
        if self._bar is not None:
            from rich.progress import Progress as Bar

            assert isinstance(self._bar, Bar)
            self._bar.stop()


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """A progress bar that disappears at the end of the block."""
    bar = Progress(label)
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """A spinner on stderr for work of unknown length, on a terminal only."""
    if voice().quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(_without_markup(label)):
        yield


def _without_markup(label: str) -> str:
    """A label that rich shows literally, whatever a file name contains."""
    from rich.markup import escape

    return escape(printable(label))
