cdef void send_cases(
    unsigned int[::1] entry, Py_ssize_t source, Py_ssize_t stride, int row_shift, Py_ssize_t best, Py_ssize_t lo,
    Py_ssize_t hi, long long last_left, unsigned char[::1] goes_left
) noexcept nogil
cdef void set_children(
    unsigned int[::1] entry, Py_ssize_t source, Py_ssize_t stride, int row_shift, Py_ssize_t best, Py_ssize_t lo,
    Py_ssize_t hi, long long last_left, unsigned char[::1] goes_left, bint is_numeric, bint by_remainders,
    double[::1] target_of_row, double[:, ::1] sums, double[:, ::1] outcomes, Py_ssize_t node, Py_ssize_t child
) noexcept nogil
cdef void part_list(
    unsigned int[::1] entry, Py_ssize_t source, Py_ssize_t target, int row_shift, Py_ssize_t lo, Py_ssize_t hi,
    long long last_left, unsigned char[::1] goes_left
) noexcept nogil
cdef bint may_split(
    double[:, ::1] outcomes, Py_ssize_t node, double size, bint is_numeric, double least_deviance, double least
) noexcept nogil
