from treecli.kernels.args cimport Cases, Order
from treecli.kernels.codes cimport NO_BRANCH
cdef class Splits:
    cdef int[::1] branch
    cdef int[::1] first
    cdef unsigned char[::1] is_asked
    cdef signed char[::1] step

cdef class Agreement:
    cdef public double[::1] agreeing
    cdef public double[::1] lower
    cdef public double[::1] upper
    cdef public int[::1] low_branch
    cdef public int[:, ::1] table
