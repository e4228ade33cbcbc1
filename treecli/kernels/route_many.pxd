from treecli.kernels.route cimport branch_of
from treecli.kernels.route_args cimport ManyNodes, Nodes

cdef enum:  # compile-time constants, unlike module variables
    _KEY_BITS = 32
    _LINK = 0x7FFFFFFF
    _LANES = 16
    _STEPS = 4
    _UNKNOWN = -2147483648
    _NOWHERE = 255
    _LEAF_KEY = 2147483647
    ALL_BRANCHES = -1
