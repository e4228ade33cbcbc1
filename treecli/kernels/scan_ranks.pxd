from treecli.kernels.args cimport Found, Plan
from treecli.kernels.codes cimport BY_RATIO, ENTROPY, SHIFT
from treecli.kernels.forest_args cimport Bag
from treecli.kernels.impurity cimport xlog2

cdef void set_known(Bag bag, Py_ssize_t n, Py_ssize_t n_classes) noexcept nogil
cdef void scan_classes(
    Py_ssize_t place, Py_ssize_t n, double weight, Bag bag, Found found, Plan plan
) noexcept nogil
cdef void scan_numbers(
    Py_ssize_t place, Py_ssize_t n, double weight, Bag bag, Found found, Plan plan
) noexcept nogil
