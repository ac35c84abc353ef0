"""This clone's log of what was shown and opened: whether it is kept, and the keeping."""
