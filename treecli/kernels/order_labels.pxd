from treecli.kernels.mixed_args cimport Columns

cdef enum:  # compile-time constants, unlike module variables
    _MOST_KEPT = 512
    _MOST_OF_THREE = 128
    _FEW_ENTRIES = 12
    _THREE = 3

cdef void principal_scores_of(
    Py_ssize_t begin, Py_ssize_t end, double[:, ::1] outcomes, Py_ssize_t n_exhaustive, double[::1] mean,
    double[::1] direction, double[::1] following, double[::1] score
) noexcept nogil
cdef void order_of(
    Py_ssize_t begin, Py_ssize_t end, double[::1] score, long long[::1] spare, long long[::1] order
) noexcept nogil
cdef bint order_by_share(Py_ssize_t n, Columns columns) noexcept nogil
