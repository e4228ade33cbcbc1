from treecli.kernels.route_args cimport Cuts, ManyNodes

cdef enum:  # compile-time constants, unlike module variables
    _KEY_BITS = 32
    _LINK = 0xFFFFFFFF
    _LANES = 16
    _STEPS = 4
    _MISSING_BITS = 2
    _IN_MISSING = 3
    _NOWHERE = 255
    _UNKNOWN = -1
