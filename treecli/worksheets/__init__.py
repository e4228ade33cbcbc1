"""Worksheets: tasks with blanks, their keys, and the marking of answers."""
