from treecli.kernels.ahead_args cimport Ahead
from treecli.kernels.args cimport Plan
from treecli.kernels.codes cimport ENTROPY, GINI
from treecli.kernels.impurity cimport xlog2

cdef enum:  # compile-time constants, unlike module variables
    RUN_ENDS = 1
    RUN_ALONE = 2
    RUN_CODES = 4
    BEFORE = 0
    AFTER = 1
    ALL = 2

cdef double spread_of(double[:, ::1] count, Py_ssize_t row, bint is_looked_up, Plan plan) noexcept nogil
cdef double least_of_runs(
    Ahead ahead, Py_ssize_t place, Py_ssize_t attribute, Py_ssize_t n_runs, Plan plan
) noexcept nogil
