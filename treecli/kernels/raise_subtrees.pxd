from treecli.kernels.estimate cimport added_errors
