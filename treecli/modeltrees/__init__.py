"""Trees with linear models at their nodes: the columns, the models, smoothing, and Weka's way of growing."""
