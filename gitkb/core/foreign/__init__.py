"""The formats of other tools, read and written as values: pure, like the rest of the core."""
