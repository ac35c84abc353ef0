"""Measurements: each `bench_*.py` has a function `rows()`, and `bench.py` prints them all."""
