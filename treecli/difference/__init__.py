"""The difference between two models: the regions where they predict differently, and the nodes where they part."""
