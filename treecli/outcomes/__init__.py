"""Class weights of nodes where classes are many: only those that are not 0 are kept.

A tree of n cases has up to 2 n nodes. With thousands of classes, a number per node and class would take gigabytes,
although the weights above 0 are at most as many as the cases at each depth.
"""
