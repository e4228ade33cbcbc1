from treecli.kernels.args cimport Plan
from treecli.kernels.codes cimport DEVIANCE, MEAN, SKLEARN
from treecli.kernels.packed_args cimport Lists, Search, Subtree
from treecli.kernels.score_sklearn cimport parted

cdef enum:  # compile-time constants, unlike module variables
    _CENTER = 0
    _SUM = 1
    _SQUARES = 2

cdef bint is_constant(Lists lists, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef bint is_apart(Lists lists, Py_ssize_t close, Py_ssize_t i, double value_gap) noexcept nogil
cdef void send_cases(Lists lists, Search search, Py_ssize_t attribute, Py_ssize_t middle) noexcept nogil
cdef void set_children(
    Lists lists, Search search, Py_ssize_t attribute, Py_ssize_t middle, Subtree subtree, Py_ssize_t child, Plan plan
) noexcept nogil
cdef void part_list(Lists lists, Search search, Py_ssize_t number) noexcept nogil
