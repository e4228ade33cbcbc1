cdef double added_errors(double weight, double errors, double confidence, double z, bint is_c45) noexcept nogil
