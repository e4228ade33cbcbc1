from treecli.kernels.args cimport Plan
from treecli.kernels.codes cimport BY_RATIO, DEVIANCE, DEVIATION, ENTROPY, GINI
from treecli.kernels.impurity cimport deviation, spread, xlog2
cdef double scaled_weight(double[:, ::1] outcomes, Py_ssize_t row, Plan plan) noexcept nogil
cdef double decrease_of(double[:, ::1] outcomes, Py_ssize_t first, Py_ssize_t after, Plan plan) noexcept nogil
cdef double information_of(
    double[:, ::1] outcomes, Py_ssize_t first, Py_ssize_t after, double unknown, Plan plan
) noexcept nogil
