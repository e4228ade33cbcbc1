from treecli.kernels.route cimport Nodes, branch_of

cdef enum:  # compile-time constants, unlike module variables
    _KEY = 0
    _LINK = 1
    _LANES = 16
    ALL_BRANCHES = -1
