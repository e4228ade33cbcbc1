from treecli.kernels.args cimport At, Found, Plan, Scratch, Tables
from treecli.kernels.codes cimport BY_RATIO, GINI, NO_BRANCH, ONE_AGAINST_REST
from treecli.kernels.impurity cimport spread, xlog2
from treecli.kernels.pearson cimport degrees_of_freedom, statistic
cdef void add_known(At at, Tables tables, Scratch scratch) noexcept nogil
cdef Py_ssize_t earlier_equal(Py_ssize_t entry, Py_ssize_t begin, Tables tables, long long[::1] slots) noexcept nogil
cdef Py_ssize_t best_label_of(At at, Tables tables, Plan plan, Found found, Scratch scratch) noexcept nogil
cdef void multiway_of(At at, Tables tables, Plan plan, Found found, Scratch scratch) noexcept nogil
cdef void two_way_of(
    At at, Py_ssize_t width, Tables tables, Plan plan, Found found, Scratch scratch
) noexcept nogil
cdef void principal_scores_of(
    Py_ssize_t begin, Py_ssize_t end, double[:, ::1] outcomes, Py_ssize_t n_exhaustive, double[::1] mean,
    double[::1] direction, double[::1] following, double[::1] score
) noexcept nogil
cdef void order_of(
    Py_ssize_t begin, Py_ssize_t end, double[::1] score, long long[::1] spare, long long[::1] order
) noexcept nogil
