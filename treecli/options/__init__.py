"""Options without click: declarations, parsing from a list of words, and hints."""
