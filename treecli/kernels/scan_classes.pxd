from treecli.kernels.args cimport Found, Plan
from treecli.kernels.codes cimport BY_GAIN, CONSTANT, ENTROPY, NO_CUT, SKLEARN
from treecli.kernels.packed_args cimport Lists, Search, Subtree
from treecli.kernels.packed_lists cimport is_apart, is_constant

cdef enum:  # compile-time constants, unlike module variables
    _LEFT = 0
    _RIGHT = 1

cdef double score_scale(long long n, long long n_first, Plan plan) noexcept nogil
cdef double score_of_two(
    long long n_left, long long in_left, long long n, long long n_first, Lists lists, Search search, Plan plan
) noexcept nogil
cdef void set_before(long long n, Lists lists, Search search, Subtree subtree, Plan plan) noexcept nogil
cdef void scan_classes(Lists lists, Search search, Subtree subtree, Found found, Plan plan) noexcept nogil
