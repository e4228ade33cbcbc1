cdef class Rules:
    cdef long long[::1] rule_start, table_start
    cdef int[::1] slot
    cdef unsigned char[::1] table, missing
    cdef double[::1] low, high
