"""Data with missing values is refused."""

from treecli.missing import Policy

POLICY = Policy(is_value=False, spreads=False, is_refused=True)
