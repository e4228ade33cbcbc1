cdef class Lists:
    cdef public unsigned int[::1] entry
    cdef public Py_ssize_t half
    cdef public Py_ssize_t stride
    cdef public Py_ssize_t n_attributes
    cdef public int row_shift
    cdef public unsigned char[::1] goes_left
    cdef public double[::1] target_of_row
    cdef public double[::1] xlog2_of
    cdef public int[::1] close
    cdef public double[:, ::1] values
    cdef public bint is_single
    cdef public long long min_side

cdef class Subtree:
    cdef public int[::1] attribute
    cdef public long long[::1] first_child
    cdef public int[:, ::1] neighbour
    cdef public double[::1] cost
    cdef public double[:, ::1] outcomes
    cdef public double[:, ::1] sums

cdef class Search:
    cdef public Py_ssize_t node
    cdef public Py_ssize_t lo
    cdef public Py_ssize_t hi
    cdef public Py_ssize_t source
    cdef public long long depth
    cdef public long long min_side
    cdef public int[::1] live
    cdef public Py_ssize_t first
    cdef public Py_ssize_t last
    cdef public long long[::1] cut
    cdef public long long[:, ::1] counts
    cdef public double before
    cdef public double slack
    cdef public double most
