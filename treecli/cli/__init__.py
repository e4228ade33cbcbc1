"""The command line: commands, options, messages and reports."""
