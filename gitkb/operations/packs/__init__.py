"""What `context` stands on: what could be in a pack, where it comes from, what the settings say."""
