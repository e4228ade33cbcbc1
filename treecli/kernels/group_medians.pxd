from treecli.kernels.args cimport Cases, Order
from treecli.kernels.codes cimport SPREAD
cdef class Groups:
    cdef public long long[::1] start
    cdef public int[::1] of_case
    cdef public double[::1] share
    cdef public double[::1] weight
    cdef public int[::1] case
    cdef public long long[::1] end
    cdef public double[::1] median
    cdef public double[::1] deviation
    cdef public double[::1] passed
