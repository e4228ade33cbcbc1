from treecli.kernels.args cimport Found, Plan
from treecli.kernels.codes cimport DEVIATION, KNOWN_OR_NOT, NO_SIDE
from treecli.kernels.impurity cimport deviation, xlog2
cdef enum:  # compile-time constants, unlike module variables
    _LEFT = 0
    _RIGHT = 1
    _MISSING = 2
    _LEFT_JOINED = 3
    _RIGHT_JOINED = 4
    _LAST = 0
    _KNOWN = 1
    _MISSING_WEIGHT = 2
    _BEFORE = 3
    _SLACK = 4
    _LEAST = 5
    _BEST_LEFT = 6
    _N_CUTS = 7
