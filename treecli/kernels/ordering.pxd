from treecli.kernels.args cimport Moves, Order
from treecli.kernels.partition cimport first_unknown

cdef enum:  # compile-time constants, unlike module variables
    _PLACE_BITS = 32
    _PLACE = 0xFFFFFFFF
