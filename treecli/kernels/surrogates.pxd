from treecli.kernels.args cimport Cases, Labels, Order
from treecli.kernels.codes cimport NO_BRANCH
from treecli.kernels.surrogate_args cimport Agreement, Splits
cdef Py_ssize_t weigh_branches_of(
    Py_ssize_t node, Py_ssize_t begin, Py_ssize_t end, Cases cases, Splits splits
) noexcept nogil
cdef void cut_of_counts(
    Py_ssize_t node, Py_ssize_t place, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t last, Order order, Splits splits,
    Agreement found
) noexcept nogil
cdef void cut_of(
    Py_ssize_t place, Py_ssize_t begin, Py_ssize_t end, Cases cases, Order order, Splits splits, Agreement found
) noexcept nogil
cdef void groups_of(
    Py_ssize_t node, Py_ssize_t place, Py_ssize_t begin, Py_ssize_t end, Cases cases, Labels labels, Splits splits,
    Agreement found
) noexcept nogil
