"""Generated files, models and rule texts, run through the commands with compiled and with uncompiled kernels.

`python -m tests.fuzz --seconds 60` is `make fuzz`. Hypothesis makes the inputs and shrinks one that fails.
"""
