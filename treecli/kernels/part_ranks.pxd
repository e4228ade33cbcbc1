from treecli.kernels.codes cimport DEVIANCE, MEAN, SHIFT, WEIGHT
from treecli.kernels.count_labels cimport sort_codes
from treecli.kernels.forest_args cimport Bag, Here, Ranked
from treecli.kernels.mixed_args cimport Columns, Subtrees

cdef enum:  # compile-time constants, unlike module variables
    _THREE = 3

cdef void set_moments(Here here, double mean, Bag bag, Ranked ranked) noexcept nogil
cdef Py_ssize_t count_ranks(
    Here here, Py_ssize_t place, Bag bag, Ranked ranked, Columns columns
) noexcept nogil
cdef Py_ssize_t part(Here here, Bag bag, Ranked ranked, Subtrees nodes) noexcept nogil
cdef void set_class_weights(Here here, Bag bag, Subtrees nodes) noexcept nogil
cdef void set_means(Here here, Bag bag, Ranked ranked, Subtrees nodes) noexcept nogil
