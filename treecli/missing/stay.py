"""A case stops at the node that tests the value: it counts there and in no branch."""

from treecli.missing import Policy

POLICY = Policy(is_value=False, spreads=False, stays=True)
