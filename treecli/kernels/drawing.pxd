cdef unsigned long long child_key(unsigned long long key, unsigned long long number) noexcept nogil
cdef int draw_next(unsigned long long key, Py_ssize_t n_drawn, int[::1] order) noexcept nogil
cdef void put_back(unsigned long long key, Py_ssize_t n_drawn, int[::1] order) noexcept nogil
