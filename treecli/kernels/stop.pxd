from treecli.kernels.args cimport Plan
from treecli.kernels.codes cimport DEVIANCE
cdef bint may_split(double[:, ::1] outcomes, Py_ssize_t node, double weight, double size, Plan plan) noexcept nogil
