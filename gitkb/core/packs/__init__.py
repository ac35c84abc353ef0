"""A context pack: what fits into a budget of tokens, and how it reads."""
