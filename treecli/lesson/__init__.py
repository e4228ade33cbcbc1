"""Lessons: a tree grown step by step on a page, with questions, other picks and their trees."""
