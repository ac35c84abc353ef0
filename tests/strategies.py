"""Hypothesis strategies: what knowledge can look like."""
