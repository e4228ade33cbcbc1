from treecli.kernels.pearson cimport degrees_of_freedom, log_p, statistic
