from treecli.kernels.args cimport At, Found, Plan, Scratch, Tables
from treecli.kernels.codes cimport BY_RATIO, GINI, NO_BRANCH, ONE_AGAINST_REST
from treecli.kernels.impurity cimport spread, xlog2
from treecli.kernels.pearson cimport degrees_of_freedom, statistic
cdef void multiway_of(At at, Tables tables, Plan plan, Found found, Scratch scratch) noexcept nogil
cdef void two_way_of(
    At at, Py_ssize_t width, Tables tables, Plan plan, Found found, Scratch scratch
) noexcept nogil
