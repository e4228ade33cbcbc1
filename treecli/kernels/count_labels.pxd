from treecli.kernels.args cimport Cases, Labels, Plan, Tables
cdef void sort_codes(int[::1] code, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef Py_ssize_t count_labels_of(
    Py_ssize_t begin, Py_ssize_t end, double center, Cases cases, Labels labels, Tables tables, Py_ssize_t first_entry,
    bint is_numeric
) noexcept nogil
