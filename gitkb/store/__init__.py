"""The files: where a store is, how its lines are read and how they are changed."""
