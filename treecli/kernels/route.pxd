cdef class Nodes:
    cdef int[::1] slot, table, missing_route, unseen_route, first_child, n_branches
    cdef unsigned char[::1] is_coded, is_plain
    cdef double[::1] number, further, share
    cdef long long[::1] further_start, table_start
cdef class Room:
    cdef long long[::1] pending
    cdef double[::1] pending_weight
    cdef double[:, ::1] sums
cdef class Leaves:
    cdef long long[::1] source, start
    cdef int[::1] code
    cdef double[::1] scale, kept
    cdef double[:, ::1] prediction
    cdef double rest
    cdef bint is_sparse
cdef int branch_of(Nodes nodes, double[:, ::1] block, Py_ssize_t row, Py_ssize_t node) noexcept nogil
