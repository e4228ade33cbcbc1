from treecli.kernels.best_mixed cimport first_unknown
cdef void branches_by_value(
    Py_ssize_t begin, Py_ssize_t lo, Py_ssize_t hi, int[::1] case, double[::1] value, double lower, int missing_side,
    int missing_to, int[::1] branch_of_case
) noexcept nogil
cdef void branches_by_table(
    Py_ssize_t slot, Py_ssize_t n_slots, Py_ssize_t lo, Py_ssize_t hi, int[::1] row_of_case, int[::1] code_of_row,
    Py_ssize_t first, int[::1] table, int missing_to, int[::1] branch_of_case
) noexcept nogil
cdef Py_ssize_t count_moved(
    Py_ssize_t lo, Py_ssize_t hi, int[::1] branch_of_case, Py_ssize_t first, Py_ssize_t n_branches, double[::1] share,
    long long[::1] place
) noexcept nogil
cdef void move_cases(
    Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t after, int[::1] branch_of_case, Py_ssize_t first, Py_ssize_t n_branches,
    double[::1] share, bint is_numeric, long long[::1] place, int[::1] move_start, int[::1] moved_to,
    int[::1] branch_of_moved, int[::1] spare, double[::1] spare_number, int[::1] row_of_case, int[::1] class_of_case,
    double[::1] target_of_case, double[::1] weight_of_case
) noexcept nogil
cdef void move_list(
    Py_ssize_t begin, Py_ssize_t lo, Py_ssize_t hi, Py_ssize_t after, long long[::1] place, int[::1] move_start,
    int[::1] moved_to, int[::1] branch_of_moved, int[::1] spare, double[::1] spare_number, int[::1] case,
    double[::1] value
) noexcept nogil
