from treecli.kernels.args cimport Found, Plan
from treecli.kernels.best_remaining cimport best_remaining
from treecli.kernels.open_blocks cimport open_cases, open_list
from treecli.kernels.packed_args cimport Lists, Peeling, Search, Subtree
from treecli.kernels.packed_lists cimport part_list
from treecli.kernels.stop cimport may_split

cdef enum:  # compile-time constants, unlike module variables
    _CHILD = 0
    _SIZE = 1
    _DEPTH = 2

cdef bint is_peel(long long n_left, long long n) noexcept nogil
cdef void set_cut(Py_ssize_t best, Lists lists, Search search, Peeling peeling) noexcept nogil
cdef Py_ssize_t peel_node(
    Py_ssize_t best, Lists lists, Search search, Subtree subtree, Found found, Peeling peeling, Plan plan
) noexcept nogil
