cdef double xlog2(double x) noexcept nogil
cdef double deviation(double weight, double squares, double least) noexcept nogil
cdef double spread(double[:, ::1] outcomes, Py_ssize_t row, int impurity, double least) noexcept nogil
cdef double total(double[:, ::1] outcomes, Py_ssize_t row, bint is_numeric) noexcept nogil
