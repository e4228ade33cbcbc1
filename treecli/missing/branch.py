"""Missing is a value: with its own branch, or on the side of the split where it fits best."""

from treecli.missing import Policy

POLICY = Policy(is_value=True, spreads=False)
