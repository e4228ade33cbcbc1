from treecli.kernels.forest_args cimport Ranked, TreeArrays
from treecli.kernels.mixed_args cimport Subtrees

cdef enum:  # compile-time constants, unlike module variables
    _LEAF = -1
    _ALL_BRANCHES = -1
