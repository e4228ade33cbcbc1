from treecli.kernels.args cimport Found, Plan
from treecli.kernels.codes cimport CONSTANT, NO_CUT, SKLEARN
from treecli.kernels.packed_args cimport Lists, Search, Subtree
from treecli.kernels.packed_lists cimport is_apart, is_constant

cdef enum:  # compile-time constants, unlike module variables
    _CENTER = 0
    _SUM = 1
    _SQUARES = 2

cdef void scan_numbers(Lists lists, Search search, Subtree subtree, Found found, Plan plan) noexcept nogil
