from treecli.kernels.codes cimport SPREAD
from treecli.kernels.route_args cimport Cuts, ManyNodes, Nodes, Room

cdef enum:  # compile-time constants, unlike module variables
    _KEY_BITS = 32
    _LINK = 0xFFFFFFFF
    _LANES = 16
    _MORE_STEPS = 3
    _MISSING_BITS = 2
    _IN_MISSING = 3
    _NOWHERE = 255
    _SPREADS = 254
    _END_OF_BRANCHES = -1
    _UNKNOWN = -1
    _SIGN = 31
