from treecli.kernels.ahead_args cimport Ahead
from treecli.kernels.ahead_blocks cimport count_side, weigh_all_runs, weigh_runs
from treecli.kernels.ahead_runs cimport least_of_runs
from treecli.kernels.ahead_sides cimport next_attribute, set_best, take_side
from treecli.kernels.args cimport Cases, Plan
from treecli.kernels.codes cimport ENTROPY, GINI, VARIANCE
from treecli.kernels.impurity cimport xlog2

cdef enum:  # compile-time constants, unlike module variables
    LEFT = 0
    RIGHT = 1
    STEPS = 0
    BEFORE = 0
    AFTER = 1
    ALL = 2
    BLOCK = 3
    CHUNK = 4
    CHUNK_SIZE = 8
    MOST_PRESENT = 3

cdef double least_left(Ahead ahead, Cases cases, Py_ssize_t row, double enough, Plan plan) noexcept nogil
