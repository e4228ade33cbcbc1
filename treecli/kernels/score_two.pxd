from treecli.kernels.args cimport Cases, Found, Order, Plan
from treecli.kernels.codes cimport ENTROPY, NO_SIDE
from treecli.kernels.impurity cimport xlog2
from treecli.kernels.score_classes cimport bar_between, score_scale
