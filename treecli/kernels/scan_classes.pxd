from treecli.kernels.lists cimport is_constant
from treecli.kernels.score_sklearn cimport parted
cdef void scan_classes(
    unsigned int[::1] entry, Py_ssize_t source, Py_ssize_t stride, int row_shift, int[::1] live, Py_ssize_t first,
    Py_ssize_t last, Py_ssize_t lo, Py_ssize_t hi, double[:, ::1] outcomes, Py_ssize_t node, double[::1] xlog2_of,
    int impurity, bint by_remainders, long long min_side, double tolerance, bint zero_gain, bint cut_cost, bint stops,
    double value_gap, bint is_single, int[::1] close, double[:, ::1] values, long long[:, ::1] scratch,
    double[:, ::1] found, long long[::1] cut
) noexcept nogil
