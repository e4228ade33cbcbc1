"""Missing is a value like any other."""

from treecli.missing import Policy

POLICY = Policy(is_value=True, spreads=False)
