from treecli.kernels.mixed_args cimport Columns

cdef enum:  # compile-time constants, unlike module variables
    MOST_OF_THREE = 128
    _FEW_ENTRIES = 12
    _THREE = 3

cdef void order_of(
    Py_ssize_t begin, Py_ssize_t end, double[::1] score, long long[::1] spare, long long[::1] order
) noexcept nogil
cdef void principal_of_three(
    Py_ssize_t begin, Py_ssize_t end, double[:, ::1] outcomes, double[::1] score
) noexcept nogil
cdef bint order_by_share(Py_ssize_t n, Columns columns) noexcept nogil
