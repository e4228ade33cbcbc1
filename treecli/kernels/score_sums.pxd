from treecli.kernels.args cimport At, Cases, Found, Order, Plan, Scratch
from treecli.kernels.codes cimport DEVIATION, ENTROPY, GINI, KNOWN_OR_NOT, NO_SIDE, VARIANCE
from treecli.kernels.impurity cimport deviation, xlog2
from treecli.kernels.pearson cimport degrees_of_freedom, statistic
cdef enum:  # compile-time constants, unlike module variables
    _FEW_CLASSES = 8
    _LEFT = 0
    _RIGHT = 1
    _MISSING = 2
    _LEFT_JOINED = 3
    _RIGHT_JOINED = 4
    _BEST_LEFT = 5
    _BEST_RIGHT = 6
cdef void best_cut(At at, Cases cases, Order order, Plan plan, Found found, Scratch scratch) noexcept nogil
