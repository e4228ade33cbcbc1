"""One file for each subcommand: read, call, print."""
