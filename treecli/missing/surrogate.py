"""A test on another attribute that splits nearly the same way decides, as in CART (Breiman et al. 1984)."""

from treecli.missing import Policy

POLICY = Policy(is_value=False, spreads=False, by_surrogates=True)
