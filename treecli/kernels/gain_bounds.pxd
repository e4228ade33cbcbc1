from treecli.kernels.args cimport At, Found, Plan
from treecli.kernels.codes cimport BY_GAIN
from treecli.kernels.impurity cimport spread
from treecli.kernels.mixed_args cimport Columns, Subtrees

cdef bint cannot_win(Py_ssize_t n, At at, Columns columns, Found found, double margin) noexcept nogil
cdef double pure_gain(Py_ssize_t node, double weight, Subtrees nodes, Plan plan) noexcept nogil
