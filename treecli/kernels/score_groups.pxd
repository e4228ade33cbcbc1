from treecli.kernels.impurity cimport spread, xlog2
from treecli.kernels.pearson cimport degrees_of_freedom, statistic
cdef void multiway_of(
    Py_ssize_t begin, Py_ssize_t end, double[:, ::1] outcomes, long long[::1] n_rows, double weight, int impurity,
    bint is_numeric, double min_leaf, double min_rows, double tolerance, double[:, ::1] scratch, Py_ssize_t place,
    double[::1] gain, double[::1] split_info
) noexcept nogil
cdef void two_way_of(
    Py_ssize_t begin, Py_ssize_t end, int[::1] code, long long[::1] order, double[:, ::1] outcomes,
    long long[::1] n_rows, double weight, int impurity, bint is_numeric, double min_leaf, double min_rows,
    double tolerance, bint is_one_against_rest, bint by_ratio, Py_ssize_t n_exhaustive, double[:, ::1] scratch,
    Py_ssize_t row, Py_ssize_t width, int[:, ::1] table, Py_ssize_t place, double[::1] gain, double[::1] split_info
) noexcept nogil
cdef void principal_scores_of(
    Py_ssize_t begin, Py_ssize_t end, double[:, ::1] outcomes, Py_ssize_t n_exhaustive, double[::1] mean,
    double[::1] direction, double[::1] following, double[::1] score
) noexcept nogil
cdef void order_of(
    Py_ssize_t begin, Py_ssize_t end, double[::1] score, long long[::1] spare, long long[::1] order
) noexcept nogil
