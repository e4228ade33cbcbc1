from treecli.kernels.args cimport Found, Plan
from treecli.kernels.choose cimport first_best, set_merits
from treecli.kernels.codes cimport DEVIANCE, SKLEARN
from treecli.kernels.packed_args cimport Lists, Search, Subtree
from treecli.kernels.scan_classes cimport scan_classes
from treecli.kernels.scan_numbers cimport scan_numbers
cdef long long least_side(long long n, Py_ssize_t n_classes, long long min_side, Plan plan) noexcept nogil
cdef void scan_lists(Lists lists, Search search, Subtree subtree, Found found, Plan plan) noexcept nogil
cdef Py_ssize_t best_attribute(Lists lists, Search search, Subtree subtree, Found found, Plan plan) noexcept nogil
