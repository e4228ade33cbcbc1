from treecli.kernels.estimate cimport Estimate, added_errors
cdef class Nodes:
    cdef int[::1] slot, table, missing_to, first_child, n_branches
    cdef double[::1] number, further
    cdef long long[::1] further_start, further_size, table_start, table_size, source
    cdef double[:, ::1] counts
cdef class Rows:
    cdef double[:, ::1] block
    cdef int[::1] class_, row, branch_of
    cdef double[::1] weight
cdef class Room:
    cdef double[::1] share, expected
    cdef long long[::1] begin, end, path, next_child, top_before, pending
    cdef double[:, ::1] scratch
