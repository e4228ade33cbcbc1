"""The click group, and the only place where errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from errno import EBADF
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, NoReturn

import click

from treecli import __version__, plugins
from treecli.errors import GateError, TreecliError, UsageError
from treecli.files.guard import guarded

if TYPE_CHECKING:
    from types import TracebackType

    from click.shell_completion import CompletionItem

INTERRUPTED = 130


class Commands(click.Group):
    """The subcommands are the modules of the commands folder, imported on demand."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(plugins.names("commands"))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in plugins.names("commands"):
            return None
        command = plugins.load("commands", name).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the first line of each command's file, because importing all commands is slow."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, plugins.summary("commands", name)) for name in self.list_commands(context)])

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(context)
        if args and args[0] not in known and not args[0].startswith("-"):
            from treecli.cli.usage import no_such_command

            raise no_such_command(args[0], known)
        return super().resolve_command(context, args)

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands with this prefix, without importing them; then the options."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(context) if name.startswith(incomplete)]
        commands = [CompletionItem(name, help=plugins.summary("commands", name)) for name in names]
        return [*commands, *click.Command.shell_complete(self, context, incomplete)]

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """The context of a command line; --help and --version print here."""
        try:
            return super().make_context(*arguments, **settings)
        except BrokenPipeError:
            raise click.exceptions.Exit(_closed_pipe()) from None  # click would use 1

    def invoke(self, context: click.Context) -> Any:
        """The result of the command, or an exit code where click would print its own message."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            return _closed_pipe()  # click would use 1, the code of a failed check
        except KeyboardInterrupt:
            return _interrupted()  # click would print an empty line


def version_text() -> str:
    """The version, and whether the kernels are compiled."""
    from treecli.kernels import are_compiled

    return f"treecli {__version__} (kernels: {'compiled' if are_compiled() else 'uncompiled, slower'})"


def _print_version(context: click.Context, option: click.Parameter, is_asked: bool) -> None:
    if is_asked and not context.resilient_parsing:
        click.echo(version_text())
        context.exit()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command has its own --help. Data files: .csv .tsv .arff .parquet, also compressed.",
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def group() -> None:
    """Train decision trees on ARFF and CSV files, prune, evaluate and display them, and convert them to IF-THEN rules.

    \b
    treecli train playtennis.csv --criterion gainratio
    treecli show playtennis.json
    treecli rules playtennis.json
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Runs a command line and ends the process with its exit code."""
    import gc
    import signal

    arguments = sys.argv[1:] if arguments is None else arguments
    if "--debug" not in arguments:
        sys.excepthook = _report_defect
    _prepare_streams()
    code = run(arguments)
    # Ctrl-C while the interpreter shuts down must not print a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The system frees the memory of a process faster than Python, which would search all modules for garbage.
    # DuckDB prints a warning about each of its objects that is not freed.
    if "duckdb" not in sys.modules:
        gc.freeze()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """The exit code of a command line; errors are reported on stderr."""
    try:
        with guarded():
            code = group.main(arguments, prog_name="treecli", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        with suppress(OSError):
            click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.ClickException as error:
        from treecli.cli.usage import explained

        _report(*explained(error, arguments))
        return UsageError.exit_code
    except TreecliError as error:
        if "--debug" in arguments:
            _print_traceback()
        _report_error(error)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except BrokenPipeError:
        return _closed_pipe()
    except OSError as error:
        # Files are checked where they are opened, so this is stdout, for example on a full disk.
        if "--debug" in arguments:
            _print_traceback()
        _discard_stdout()
        is_closed = error.errno == EBADF and error.filename is None
        _report("stdout: is closed" if is_closed else f"{error.filename or 'stdout'}: cannot be used: {error.strerror}")
        return UsageError.exit_code
    except UnicodeEncodeError as error:
        # Files are decoded or refused earlier, so this is a command-line argument.
        if "--debug" in arguments:
            _print_traceback()
        found = error.object[error.start : error.end]
        _report(f"found '{found}', which is not valid {error.encoding} text", "write names and labels in UTF-8")
        return UsageError.exit_code
    except MemoryError:
        _report("not enough memory", "use fewer rows or columns (-x), or limit the tree (--max-depth)")
        return TreecliError.exit_code


def _prepare_streams() -> None:
    """Makes stdin, stdout and stderr usable, whichever the caller closed.

    A closed descriptor is replaced, because the next opened file would get its number, and then all printed text.
    Reading a closed stdin is refused, writing to a closed stdout fails, messages to a closed stderr are lost. Streams
    that are not terminals get UTF-8, like files.
    """
    for descriptor, (stream, access) in enumerate(
        ((sys.stdin, os.O_RDONLY), (sys.stdout, os.O_RDONLY), (sys.stderr, os.O_WRONLY))
    ):
        if stream is None:
            taken = os.open(os.devnull, access)
            if taken != descriptor:
                os.dup2(taken, descriptor)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
    if isinstance(sys.stdout, TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="backslashreplace")
        else:
            sys.stdout.reconfigure(encoding="utf-8", errors="strict")


def _print_traceback() -> None:
    from traceback import format_exc

    from treecli.cli.terminal import say

    for line in format_exc().splitlines():
        say(line)


def _interrupted() -> int:
    _report("interrupted")
    return INTERRUPTED


def _closed_pipe() -> int:
    """The reader closed the pipe (| head): exit quietly with 0."""
    _discard_stdout()
    return 0


def _discard_stdout() -> None:
    """Redirects stdout to /dev/null, so that the final flush does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(message: str, hint: str | None = None) -> None:
    from treecli.cli.terminal import say

    say(message.replace("\n", " "), "Error: ", "red")
    if hint:
        say(hint.replace("\n", " "), "Hint: ", "cyan")


def _report_error(error: TreecliError) -> None:
    from treecli.cli.terminal import say

    if not isinstance(error, GateError):
        _report(error.message, error.hint)
        return
    for failure in error.failures:
        say(failure.replace("\n", " "), "Failed: ", "red")


def _report_defect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Reports an internal error; Python's exit code for it is 1."""
    _report(f"unexpected {kind.__name__}: {error}", "this is a bug in treecli; --debug shows where")
