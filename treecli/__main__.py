"""`python -m treecli`, and where the `treecli` script begins."""

import os


def main() -> None:
    """Runs the command line of this process, and does not return."""
    # Nothing is imported before this, or Ctrl-C meanwhile would end in a traceback.
    try:
        from treecli.cli.app import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        # While modules are imported, or for the second time while the first is reported.
        try:
            os.write(2, b"Error: interrupted\n")
        finally:
            os._exit(130)


if __name__ == "__main__":
    main()
