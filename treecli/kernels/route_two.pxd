from treecli.kernels.route_args cimport ManyNodes

cdef enum:  # compile-time constants, unlike module variables
    _LANES = 16
    _MORE_STEPS = 3
    _SLOT_AT = 32
    _SHIFT_AT = 48
    _SIGN_AT = 63
    _IN_SLOT = 0xFFFF
    _IN_CHILD = 0xFFFFFFFF
    _IN_SHIFT = 63
    _IN_LEAF = 0x7FFFFFFF
