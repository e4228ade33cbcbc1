from treecli.kernels.ahead_args cimport Ahead
from treecli.kernels.ahead_blocks cimport count_side, weigh_runs
from treecli.kernels.ahead_runs cimport spread_of
from treecli.kernels.ahead_sides cimport gain_after, lowest, set_worth
from treecli.kernels.args cimport Cases, Plan
from treecli.kernels.impurity cimport total

cdef enum:  # compile-time constants, unlike module variables
    LEFT = 0
    RIGHT = 1
    STEPS = 0
    RUN_ENDS = 1
    RUN_ALONE = 2
    RUN_CODES = 4
    BEFORE = 0
    AFTER = 1
    ALL = 2

cdef bint finish(
    Ahead ahead, Cases cases, Py_ssize_t low, Py_ssize_t high, Py_ssize_t row, double enough, Plan plan
) noexcept nogil
