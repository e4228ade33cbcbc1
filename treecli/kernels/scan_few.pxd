from treecli.kernels.args cimport Plan
from treecli.kernels.codes cimport ENTROPY, SKLEARN
from treecli.kernels.packed_args cimport Lists, Search, Subtree
from treecli.kernels.packed_lists cimport is_apart
from treecli.kernels.score_classes cimport score_of_two

cdef enum:  # compile-time constants, unlike module variables
    _ALL = 0
    _FIRST = 1
    _SECOND = 2

cdef bint set_terms(Lists lists, Search search, Subtree subtree, Plan plan) noexcept nogil
cdef Py_ssize_t best_of_few(
    Py_ssize_t start,
    int close,
    Lists lists,
    Search search,
    Subtree subtree,
    Plan plan
) noexcept nogil
