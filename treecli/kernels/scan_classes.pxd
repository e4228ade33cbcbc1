from treecli.kernels.args cimport Found, Plan
from treecli.kernels.codes cimport BY_GAIN, BY_RATIO, CONSTANT, ENTROPY, NO_CUT, SKLEARN
from treecli.kernels.packed_args cimport Lists, Search, Subtree
from treecli.kernels.packed_lists cimport is_apart, is_constant
from treecli.kernels.scan_few cimport best_of_few, set_terms
from treecli.kernels.score_classes cimport (
    bar_between, score_of, score_of_two, score_scale, set_before, sklearn_gain, split_info_of
)

cdef enum:  # compile-time constants, unlike module variables
    _LEFT = 0
    _RIGHT = 1

cdef void scan_classes(Lists lists, Search search, Subtree subtree, Found found, Plan plan) noexcept nogil
