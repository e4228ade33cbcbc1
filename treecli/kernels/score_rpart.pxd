from treecli.kernels.args cimport At, Cases, Found, Labels, Order, Plan, Scratch, Tables
from treecli.kernels.codes cimport ENTROPY, NO_BRANCH

cdef enum:  # compile-time constants, unlike module variables
    _LEFT = 0
    _RIGHT = 1

cdef class Groupings:
    cdef public double[::1] scaled
    cdef public double[::1] known
    cdef public unsigned char[::1] is_exhaustive
    cdef public unsigned char[::1] is_left
