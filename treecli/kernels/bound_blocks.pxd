from treecli.kernels.args cimport Plan
from treecli.kernels.codes cimport ENTROPY
from treecli.kernels.packed_args cimport Lists, Peeling, Spans
from treecli.kernels.score_classes cimport bar_between, score_scale
cdef double bar_of(double score, double scale, double size) noexcept nogil
cdef void set_bars(double least, Peeling peeling, Plan plan) noexcept nogil
cdef double MARGIN
cdef bint may_hold(
    long long n_left,
    long long in_left,
    Py_ssize_t a,
    Py_ssize_t s,
    double excess,
    Spans spans,
    Lists lists,
    Peeling peeling
) noexcept nogil
cdef void bound_block(
    Py_ssize_t a, Py_ssize_t b, Py_ssize_t begin, Py_ssize_t end, Lists lists, Peeling peeling
) noexcept nogil
cdef void bound_stretch(
    Py_ssize_t a, Py_ssize_t s, double share, Py_ssize_t n_blocks, Peeling peeling
) noexcept nogil
