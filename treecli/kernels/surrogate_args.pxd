cdef class Splits:
    cdef public int[::1] branch
    cdef public int[::1] first
    cdef public double[:, ::1] weight
    cdef public unsigned char[::1] is_asked
    cdef public signed char[::1] step
    cdef public bint has_slip

cdef class Agreement:
    cdef public double[::1] agreeing
    cdef public double[::1] lower
    cdef public double[::1] upper
    cdef public int[::1] low_branch
    cdef public int[:, ::1] table
    cdef public double[:, ::1] sides
    cdef public long long[:, ::1] n_cases

cdef class Surrogates:
    cdef public Splits splits
    cdef public Agreement found
    cdef public int[::1] lacking
    cdef public Py_ssize_t most
    cdef public Py_ssize_t n_kept
    cdef public Py_ssize_t n_entries
    cdef public int[::1] node
    cdef public int[::1] attribute
    cdef public double[::1] lower
    cdef public double[::1] upper
    cdef public int[::1] low_branch
    cdef public double[::1] agreement
    cdef public double[::1] adjusted
    cdef public int[::1] table
