from treecli.kernels.order_three cimport MOST_OF_THREE, order_of, principal_of_three

cdef enum:  # compile-time constants, unlike module variables
    _MOST_KEPT = 512
    _THREE = 3

cdef void principal_scores_of(
    Py_ssize_t begin, Py_ssize_t end, double[:, ::1] outcomes, Py_ssize_t n_exhaustive, double[::1] mean,
    double[::1] direction, double[::1] following, double[::1] score
) noexcept nogil
