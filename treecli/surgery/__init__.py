"""Changes to a tree by hand, with the counts that follow from them."""
