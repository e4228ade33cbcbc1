from treecli.kernels.scan_classes cimport scan_classes
from treecli.kernels.scan_numbers cimport scan_numbers
cdef long long least_side(
    long long n, Py_ssize_t n_classes, long long min_side, double min_leaf, double branch_share,
    double most_branch_share, double tolerance
) noexcept nogil
cdef Py_ssize_t best_attribute(
    bint is_ratio, bint by_remainders, bint zero_gain, double min_gain, double share, double tolerance, double slack,
    double[:, ::1] found, long long[::1] cut
) noexcept nogil
cdef void scan_lists(
    unsigned int[::1] entry, Py_ssize_t source, Py_ssize_t stride, int row_shift, int[::1] live, Py_ssize_t first,
    Py_ssize_t last, Py_ssize_t lo, Py_ssize_t hi, bint is_numeric, double[::1] target_of_row, double[:, ::1] sums,
    double[:, ::1] outcomes, Py_ssize_t node, double[::1] xlog2_of, int impurity, bint by_remainders,
    long long min_side, double tolerance, bint zero_gain, bint cut_cost, bint stops, double value_gap, bint is_single,
    int[::1] close, double[:, ::1] values, long long[:, ::1] scratch, double[:, ::1] found, long long[::1] cut
) noexcept nogil
