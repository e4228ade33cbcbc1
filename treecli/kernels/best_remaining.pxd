from treecli.kernels.args cimport Found, Plan
from treecli.kernels.best_packed cimport best_attribute
from treecli.kernels.codes cimport BY_RATIO
from treecli.kernels.packed_args cimport Lists, Peeling, Search, Subtree
from treecli.kernels.rule_out cimport is_ruled_out, set_known
from treecli.kernels.scan_remaining cimport open_remaining, scan_remaining
cdef Py_ssize_t best_remaining(
    Lists lists, Search search, Subtree subtree, Found found, Peeling peeling, Plan plan
) noexcept nogil
