cdef class Nodes:
    cdef public int[::1] slot, table, missing_route, unseen_route, first_child, n_branches
    cdef public unsigned char[::1] is_coded, is_plain
    cdef public double[::1] number, further, share
    cdef public long long[::1] further_start, table_start
cdef class Room:
    cdef public long long[::1] pending
    cdef public double[::1] pending_weight
    cdef public double[:, ::1] sums
cdef class Leaves:
    cdef public int[::1] source
    cdef public long long[::1] start
    cdef public int[::1] code
    cdef public double[::1] scale, kept
    cdef public double[:, ::1] prediction
    cdef public double rest
    cdef public bint is_sparse
cdef class ManyNodes:
    cdef public long long[::1] node
    cdef public unsigned char[::1] table, n_branches
    cdef public double[::1] share
    cdef public Py_ssize_t n_slots, leaf_slot
    cdef public int slot_bits
    cdef public bint is_in_two
cdef class Cuts:
    cdef public double[::1] number
    cdef public int[::1] first
    cdef public double lowest, scale
