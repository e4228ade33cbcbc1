from treecli.kernels.peel_args cimport Chain
from treecli.kernels.score_groups cimport earlier_equal
cdef void list_labels(Py_ssize_t slot, Chain chain) noexcept nogil
cdef void set_apart(int own, Py_ssize_t slot, Chain chain) noexcept nogil
cdef void remove(int own, Py_ssize_t slot, Chain chain) noexcept nogil
