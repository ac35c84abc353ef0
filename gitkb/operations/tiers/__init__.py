"""The chain of stores: found, read across, and moved between."""
