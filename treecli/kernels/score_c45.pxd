from treecli.kernels.args cimport At, Cases, Found, Order, Plan, Scratch, Tables

cdef enum:  # constants to the C compiler, which the variables of a module are not
    _LEFT = 0
    _RIGHT = 1
