"""A case ends at the node that asks for the value: it counts there and in no branch."""

from treecli.missing import Policy

POLICY = Policy(is_value=False, spreads=False, stays=True)
