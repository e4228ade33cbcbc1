from treecli.kernels.args cimport At, Cases, Found, Order, Plan, Scratch, Tables

cdef enum:  # compile-time constants, unlike module variables
    _LEFT = 0
    _RIGHT = 1
