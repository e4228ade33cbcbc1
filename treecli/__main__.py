"""`python -m treecli` and the entry point of the `treecli` script."""

import gc
import os

NEW_OBJECTS = 100_000
"""Objects between two collections of garbage. Imported modules make about as many, and none of them is garbage."""


def main() -> None:
    """Runs the command line of this process; does not return."""
    # numpy's library for linear algebra would start a thread per core at import, which takes longer than a small
    # command; with more than one, the last bits of sums would depend on the machine.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(NEW_OBJECTS)
    # Import nothing before this: Ctrl-C during an import would print a traceback.
    try:
        from treecli.cli.app import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        # During imports, or a second time while the first is reported.
        try:
            os.write(2, b"Error: interrupted\n")
        finally:
            os._exit(130)


if __name__ == "__main__":
    main()
