from treecli.kernels.best_mixed cimport score_entries
from treecli.kernels.codes cimport ONE_AGAINST_REST
from treecli.kernels.equal_labels cimport list_labels, remove, set_apart
from treecli.kernels.peel_args cimport REMAINS, Chain
from treecli.kernels.score_groups cimport best_label_of
from treecli.kernels.score_sums cimport best_cut
cdef bint open_chain(Chain chain, Py_ssize_t lo, Py_ssize_t n_live) noexcept nogil
cdef Py_ssize_t score_remaining(Chain chain, Py_ssize_t n, Py_ssize_t n_live) noexcept nogil
cdef void forget(
    Chain chain, Py_ssize_t lo, Py_ssize_t n, Py_ssize_t n_live, Py_ssize_t best, long long n_leaving
) noexcept nogil
