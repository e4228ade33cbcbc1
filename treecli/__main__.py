"""`python -m treecli`, and where the `treecli` script begins."""

import os
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line of this process."""
    try:
        from treecli.cli import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        # Ctrl-C while modules are imported, or a second one while the first is reported.
        from contextlib import suppress

        with suppress(OSError):
            os.write(2, b"Error: interrupted\n")
        os._exit(130)


if __name__ == "__main__":
    main()
