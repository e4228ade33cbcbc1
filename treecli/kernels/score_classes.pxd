from treecli.kernels.args cimport Plan
from treecli.kernels.codes cimport ENTROPY, SKLEARN
from treecli.kernels.packed_args cimport Lists, Search, Subtree

cdef enum:  # compile-time constants, unlike module variables
    _LEFT = 0
    _RIGHT = 1

cdef double score_of(
    long long left,
    long long right,
    double left_terms,
    double right_terms,
    double before,
    Lists lists,
    Search search,
    Plan plan
) noexcept nogil
cdef double sklearn_gain(
    Py_ssize_t begin, Py_ssize_t end, Lists lists, Search search, Subtree subtree, Plan plan
) noexcept nogil
cdef double score_scale(long long n, long long n_first, Plan plan) noexcept nogil
cdef double bar_between(
    double bar, long long low, long long high, long long n, long long n_first, Plan plan
) noexcept nogil
cdef double split_info_of(long long n_left, long long n, Lists lists) noexcept nogil
cdef double score_of_two(
    long long n_left, long long in_left, long long n, long long n_first, Lists lists, Search search, Plan plan
) noexcept nogil
cdef void set_before(long long n, Lists lists, Search search, Subtree subtree, Plan plan) noexcept nogil
