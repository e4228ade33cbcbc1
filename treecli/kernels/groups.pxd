from treecli.kernels.impurity cimport spread, xlog2
from treecli.kernels.pearson cimport degrees_of_freedom, statistic
