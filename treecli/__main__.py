"""`python -m treecli`, and where the `treecli` script begins."""

from treecli.cli import main

if __name__ == "__main__":
    main()
