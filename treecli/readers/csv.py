"""Comma-separated values, with a header line."""

from treecli.readers._delimited import Delimited

_FORMAT = Delimited(",")

read = _FORMAT.read
rows = _FORMAT.rows
lines = _FORMAT.lines
excerpts = _FORMAT.excerpts
marks = _FORMAT.marks
