"""Whole trees compared with the output of other programs; `python -m tests.exact FOLDER` takes any folder of data.

A folder holds NAME.arff files, itself or in `data/`, and expected results: j48.json, id3.json, c45.json, rpart.json
and sklearn.json, each {"tool": …, "data": {NAME: …}} as described beside each comparison.
"""
