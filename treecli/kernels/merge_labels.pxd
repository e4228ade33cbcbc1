from treecli.kernels.pearson cimport degrees_of_freedom, log_p, statistic
cdef class Limits:
    cdef bint is_ordered
    cdef int missing_code
    cdef double alpha, min_leaf, min_rows, tolerance
cdef class Groups:
    cdef double[:, ::1] pooled, table
    cdef double[::1] weight, chi2
    cdef long long[::1] rows, joined_to, partner, freedom
