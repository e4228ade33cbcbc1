cdef Py_ssize_t count_labels_of(
    Py_ssize_t begin, Py_ssize_t end, int[::1] row_of_case, int[::1] class_of_case, double[::1] target_of_case,
    double[::1] weight_of_case, double center, bint is_numeric, Py_ssize_t first_row, Py_ssize_t row_step,
    int[::1] code_of_row, int missing_code, Py_ssize_t n_labels, long long[::1] entry_of_label, Py_ssize_t first_entry, int[::1] code,
    double[:, ::1] outcomes
) noexcept nogil
cdef void child_outcomes_of(
    Py_ssize_t begin, Py_ssize_t end, Py_ssize_t first, Py_ssize_t after, int[::1] branch_of_case,
    int[::1] class_of_case, double[::1] target_of_case, double[::1] weight_of_case, double center, bint is_numeric,
    bint spreads, Py_ssize_t node, int[::1] missing_to, double tolerance, double[::1] share, double[:, ::1] outcomes
) noexcept nogil
