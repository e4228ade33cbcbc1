cdef class Fit:
    cdef double[:, ::1] value, centred, cross, solution
    cdef double[::1] target, weight, factor, constant, error, mean, sd, standard, residual, given
    cdef int[::1] row
    cdef long long[::1] begin, end, first, column, kept
    cdef Py_ssize_t n_kept
    cdef bint like_weka
