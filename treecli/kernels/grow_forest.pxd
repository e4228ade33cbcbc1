from treecli.kernels.args cimport At, Found, Plan, Scratch
from treecli.kernels.best_mixed cimport clear_entries, score_entries
from treecli.kernels.choose cimport first_best, set_merits
from treecli.kernels.codes cimport BY_GAIN, DEVIANCE, GINI, GROUPS, MEAN, ONE_AGAINST_REST, SHIFT, SPREAD
from treecli.kernels.drawing cimport child_key, draw_next, put_back
from treecli.kernels.forest_args cimport Bag, Here, Ranked
from treecli.kernels.gain_bounds cimport cannot_win, pure_gain
from treecli.kernels.impurity cimport total
from treecli.kernels.mixed_args cimport Columns, Subtrees
from treecli.kernels.part_ranks cimport count_ranks, part, set_class_weights, set_means, set_moments
from treecli.kernels.scan_ranks cimport scan_classes, scan_numbers, set_known
from treecli.kernels.sort_ranks cimport copy_block, sort_by_rank, take_in_order
from treecli.kernels.stop cimport may_split

cdef enum:  # compile-time constants, unlike module variables
    _NODE = 0
    _LO = 1
    _HI = 2
    _DEPTH = 3
    _BLOCK = 4
    _NO_BLOCK = 0
    _LARGE_BLOCK = 1
    _SMALL_BLOCK = 2
    _N_PENDING = 0
    _N_NODES = 1
    _N_TABLE = 2
    _LARGE = 4
    _ALL_KNOWN = 2
