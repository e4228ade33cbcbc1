"""A case goes down every branch with that branch's share of its weight, as in C4.5 (Quinlan 1993)."""

from treecli.missing import Policy

POLICY = Policy(is_value=False, spreads=True)
