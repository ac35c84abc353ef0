"""What a secret looks like, what lets one by, and what is left of a text that was scrubbed."""
