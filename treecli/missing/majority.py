"""A case goes down the heaviest branch."""

from treecli.missing import Policy

POLICY = Policy(is_value=False, spreads=False)
