cdef class Heaps:
    cdef public double[::1] alpha, risk
    cdef public int[::1] n_leaves, first, following, pairs
