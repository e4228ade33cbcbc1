"""Growing a tree: the plan, the loop over levels, and the accelerators that give the same trees."""
