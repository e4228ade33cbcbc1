from treecli.kernels.args cimport Found, Plan
from treecli.kernels.codes cimport BY_RATIO, SKLEARN
cdef void set_merits(Found found, Py_ssize_t n, double share, Plan plan) noexcept nogil
cdef Py_ssize_t first_best(Found found, Py_ssize_t n, double slack) noexcept nogil
