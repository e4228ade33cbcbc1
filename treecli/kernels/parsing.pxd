cdef class Powers:
    cdef double[::1] exact
    cdef unsigned long long[::1] high, low
    cdef int[::1] shift
cdef class Syntax:
    cdef unsigned char delimiter, decimal
    cdef bint are_quotes_meant, are_bare_numbers_final
    cdef const unsigned char[::1] role, missing_texts
    cdef long long[::1] missing_bounds
    cdef Powers powers
cdef class Columns:
    cdef unsigned char[::1] mode, has_other_text
    cdef int[::1] slot
    cdef double[:, ::1] numbers
    cdef int[:, ::1] codes
cdef class Texts:
    cdef int[:, ::1] code_at
    cdef long long[:, ::1] start, stop
    cdef int[::1] n
cdef Py_ssize_t read_number(const unsigned char[::1] text, Py_ssize_t start, unsigned char decimal, double[:, ::1] numbers, Py_ssize_t slot, Py_ssize_t row, Powers powers) noexcept nogil
