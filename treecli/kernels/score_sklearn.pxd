from treecli.kernels.args cimport At, Cases, Found, Order, Plan, Scratch, Sent
from treecli.kernels.codes cimport ENTROPY, GINI, KNOWN_OR_NOT, NO_SIDE, SPREAD, VARIANCE
from treecli.kernels.impurity cimport xlog2
from treecli.kernels.pearson cimport degrees_of_freedom, statistic

cdef enum:  # compile-time constants, unlike module variables
    _LEFT = 0
    _RIGHT = 1
    _ALL = 2
    _SUM = 1
    _SQUARES = 2

cdef bint parted(double lower, double upper, double value_gap, bint is_single) noexcept nogil
