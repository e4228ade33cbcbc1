cdef double statistic(double[:, ::1] table, Py_ssize_t first, Py_ssize_t n_rows) noexcept nogil
cdef long long degrees_of_freedom(double[:, ::1] table, Py_ssize_t first, Py_ssize_t n_rows) noexcept nogil
cdef double log_p(double chi2, long long freedom) noexcept nogil
