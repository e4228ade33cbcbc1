cdef class Nodes:
    cdef public int[::1] slot, table, missing_to, first_child, n_branches
    cdef public double[::1] number, further
    cdef public long long[::1] further_start, further_size, table_start, table_size, source
    cdef public double[:, ::1] counts
cdef class Rows:
    cdef public double[:, ::1] block
    cdef public int[::1] class_, row, branch_of
    cdef public double[::1] weight
cdef class Room:
    cdef public long long n_spread
    cdef public double[::1] share, expected
    cdef public long long[::1] begin, end, path, next_child, top_before, pending
    cdef public double[:, ::1] scratch
