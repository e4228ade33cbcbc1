from treecli.kernels.args cimport Plan
from treecli.kernels.codes cimport ENTROPY
from treecli.kernels.packed_args cimport Lists, Peeling, Spans
from treecli.kernels.score_classes cimport bar_between
cdef double bar_of(double score, double scale, double size) noexcept nogil
cdef void set_bars(double least, double inner, long long edge, Peeling peeling, Plan plan) noexcept nogil
cdef void set_excess(
    Py_ssize_t a,
    Py_ssize_t begin,
    Py_ssize_t n_spans,
    int n_left,
    int in_left,
    Spans spans,
    Peeling peeling
) noexcept nogil
cdef Py_ssize_t set_excess_within(
    Py_ssize_t a, Py_ssize_t s, long long n_left, long long in_left, Peeling peeling
) noexcept nogil
cdef double MARGIN
cdef void count_before(Py_ssize_t a, Py_ssize_t b, Peeling peeling) noexcept nogil
cdef long long smaller_side(long long n_left, long long own, Peeling peeling) noexcept nogil
cdef double own_bar(long long n_left, long long own, Peeling peeling) noexcept nogil
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
cdef void bound_stretch(Py_ssize_t a, Py_ssize_t s, Peeling peeling) noexcept nogil
