from treecli.kernels.args cimport At, Found, Plan, Scratch, Tables
from treecli.kernels.codes cimport BY_RATIO, GINI, NO_BRANCH, ONE_AGAINST_REST
from treecli.kernels.impurity cimport spread, xlog2
from treecli.kernels.pearson cimport degrees_of_freedom, statistic
cdef void add_known(At at, Tables tables, Scratch scratch) noexcept nogil
cdef Py_ssize_t earlier_equal(Py_ssize_t entry, Py_ssize_t begin, Tables tables, long long[::1] slots) noexcept nogil
cdef Py_ssize_t best_label_of(At at, Tables tables, Plan plan, Found found, Scratch scratch) noexcept nogil
cdef void multiway_of(At at, Tables tables, Plan plan, Found found, Scratch scratch) noexcept nogil
cdef double two_way_of(
    At at, Py_ssize_t width, Tables tables, Plan plan, Found found, Scratch scratch
) noexcept nogil
