"""The arithmetic of learning, step by step, as a lecture writes it."""
