cdef class Growth:
    cdef double[:, ::1] value
    cdef double[::1] target, threshold, mean
    cdef int[::1] row
    cdef int[:, ::1] order
    cdef long long[::1] limits, begin, end, column, first_child, depth, spare
