from treecli.kernels.bound_blocks cimport MARGIN, bound_stretch
from treecli.kernels.packed_args cimport Lists, Peeling, Search, Subtree

cdef void open_cases(Lists lists, Search search, Subtree subtree, Peeling peeling) noexcept nogil
cdef void open_list(Py_ssize_t a, Lists lists, Peeling peeling) noexcept nogil
