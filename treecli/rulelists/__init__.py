"""Lists of rules that are models: their forms, what they say about rows, and what is wrong with them."""
