from treecli.kernels.sorting cimport sort

cdef enum:  # compile-time constants, unlike module variables
    _NOW = 0
    _BEST = 1
    _BELOW = 0
    _ABOVE = 1

cdef class Planes:
    cdef public double[:, ::1] z
    cdef public int[::1] label
    cdef public double[::1] target
    cdef public double[::1] share
    cdef public long long[::1] start
    cdef public unsigned char[:, ::1] usable
    cdef public double[::1] least
    cdef public double[:, :, ::1] draw
    cdef public bint is_numeric
    cdef public int n_sparse
    cdef public int n_jumps
    cdef public double[:, ::1] found
    cdef public double[:, ::1] gain
    cdef public double[:, ::1] plane
    cdef public double[:, ::1] sums
    cdef public double[::1] height
    cdef public double[::1] slope
    cdef public double[::1] value
    cdef public int[::1] row
    cdef public long long[::1] pending
    cdef public double[::1] spare_value
    cdef public int[::1] spare_row
    cdef public long long[::1] version
    cdef public double unsplit
    cdef public double alpha
    cdef public double reached
