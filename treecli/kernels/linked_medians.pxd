from treecli.kernels.args cimport At, Cases, Order

cdef class Ranked:
    cdef public int[::1] rank
    cdef public double[::1] target
    cdef public bint is_alike
    cdef public unsigned char[::1] is_cut
    cdef public double[:, ::1] deviation
    cdef public double[:, ::1] fenwick
    cdef public int[:, ::1] link
    cdef public int[::1] place_rank
    cdef public double[::1] place_target

cdef enum:  # compile-time constants, unlike module variables
    BELOW = 0
    ABOVE = 1
    _BEFORE = 0
    _AFTER = 1

cdef void gather(At at, Cases cases, Order order, Ranked ranked) noexcept nogil
cdef void unlink(Py_ssize_t side, At at, Cases cases, Ranked ranked) noexcept nogil
