from treecli.kernels.parsing cimport Powers, read_number

cdef class Layout:
    cdef const unsigned char[::1] words
    cdef int[::1] bounds
    cdef double[::1] least, most
    cdef bint is_numeric
    cdef dict column_of_name
    cdef int threshold_kind
    cdef Powers powers
cdef class NodeArrays:
    cdef signed char[::1] kind
    cdef int[::1] attribute, missing_to, first_child, n_branches
    cdef double[::1] number, score, outcomes
    cdef public Py_ssize_t n_read, next_child, position
