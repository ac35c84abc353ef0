"""The calculation: bytes and values in, bytes and values out.

No path, clock, randomness, environment, database or git; whoever needs time passes it in.
"""
