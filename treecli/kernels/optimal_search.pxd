from treecli.kernels.optimal_pairs cimport LEAVES, NO_TEST, Problem, Room, leaf_value, popcount, solve_pairs

cdef class Memory:
    cdef public unsigned long long[:, ::1] key
    cdef public int[:, ::1] tree
    cdef public long long[::1] value
    cdef public signed char[::1] depth
    cdef public unsigned char[::1] is_exact
    cdef public Py_ssize_t n_kept, n_found
