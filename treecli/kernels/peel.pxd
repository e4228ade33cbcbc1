from treecli.kernels.choose cimport first_best, set_merits
from treecli.kernels.codes cimport ONE_AGAINST_REST, SPREAD
from treecli.kernels.grow_mixed cimport set_one_label
from treecli.kernels.impurity cimport total
from treecli.kernels.peel_args cimport GONE, REMAINS, Chain
from treecli.kernels.places cimport place_cases_of, place_order_of_many
from treecli.kernels.remaining cimport forget, open_chain, score_remaining
from treecli.kernels.stop cimport may_split
