"""Missing is a value like any other: with a branch of its own, or on the side of the split where it fits best."""

from treecli.missing import Policy

POLICY = Policy(is_value=True, spreads=False)
