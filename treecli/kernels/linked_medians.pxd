cdef void unlink(
    bint is_upward,
    Py_ssize_t begin,
    Py_ssize_t n_known,
    Py_ssize_t n,
    int[::1] case,
    unsigned char[::1] is_cut,
    int[::1] rank_of_case,
    double[::1] target_by_rank,
    double center,
    int[:, ::1] link,
    double[::1] deviation,
) noexcept nogil
