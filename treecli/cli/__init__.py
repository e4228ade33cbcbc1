"""The command line: the program, its options, messages and reports."""
