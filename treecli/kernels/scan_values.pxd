from treecli.kernels.args cimport Plan
from treecli.kernels.codes cimport ENTROPY, GINI, NO_SIDE
from treecli.kernels.impurity cimport spread, total, xlog2
