cdef void sort(double[::1] value, int[::1] row, long long[::1] pending) noexcept nogil
