from treecli.kernels.score_sklearn cimport parted
cdef bint is_constant(unsigned int[::1] entry, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
