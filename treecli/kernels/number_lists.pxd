from treecli.kernels.parsing cimport Powers, read_number
