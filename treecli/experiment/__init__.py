"""Experiments on data: rows divided into parts, learners compared on them."""
