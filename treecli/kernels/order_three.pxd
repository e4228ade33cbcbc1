from treecli.kernels.mixed_args cimport Columns
from treecli.kernels.sort_scores cimport order_of

cdef enum:  # compile-time constants, unlike module variables
    MOST_OF_THREE = 128
    _THREE = 3

cdef void principal_of_three(
    Py_ssize_t begin, Py_ssize_t end, double[:, ::1] outcomes, double[::1] score
) noexcept nogil
cdef bint order_by_share(Py_ssize_t n, Columns columns) noexcept nogil
