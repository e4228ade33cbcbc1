cdef class Estimate:
    cdef double confidence, z, mixed_above
    cdef bint is_c45
cdef double added_errors(double weight, double errors, Estimate estimate) noexcept nogil
