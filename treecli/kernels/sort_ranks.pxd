from treecli.kernels.codes cimport SHIFT
from treecli.kernels.forest_args cimport Bag, Here, Ranked

cdef enum:  # compile-time constants, unlike module variables
    _FEW = 48
    _PLACE_BITS = 6
    _MOST_DIGIT_BITS = 11
    _STEPS_PER_CASE = 4

cdef void sort_keys(Bag bag, Py_ssize_t n, unsigned int least, unsigned int most, bint has_few) noexcept nogil
cdef void copy_block(Here here, Py_ssize_t first, Bag bag, Ranked ranked) noexcept nogil
cdef Py_ssize_t sort_by_rank(Here here, Bag bag, Ranked ranked) noexcept nogil
cdef Py_ssize_t take_in_order(Here here, Bag bag, Ranked ranked) noexcept nogil
