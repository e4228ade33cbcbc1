cdef enum:  # compile-time constants, unlike module variables
    _FEW_ENTRIES = 12

cdef void order_of(
    Py_ssize_t begin, Py_ssize_t end, double[::1] score, long long[::1] spare, long long[::1] order
) noexcept nogil
