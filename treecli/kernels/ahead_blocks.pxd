from treecli.kernels.ahead_args cimport Ahead, Blocks
from treecli.kernels.args cimport Cases, Plan
from treecli.kernels.mixed_args cimport Columns

cdef enum:  # compile-time constants, unlike module variables
    LEFT = 0
    RIGHT = 1
    STEPS = 0
    RUN_ENDS = 1
    RUN_ALONE = 2
    RUN_CODES = 4

cdef void count_blocks(Ahead ahead, Cases cases, Py_ssize_t node, Plan plan) noexcept nogil
cdef Py_ssize_t count_side(Ahead ahead, Cases cases, Py_ssize_t attribute, Plan plan) noexcept nogil
cdef Py_ssize_t weigh_runs(Ahead ahead, Cases cases, Py_ssize_t attribute) noexcept nogil
cdef Py_ssize_t weigh_all_runs(Ahead ahead, Cases cases, Py_ssize_t attribute) noexcept nogil
