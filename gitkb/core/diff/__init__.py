"""What changed between two versions, as values, and how it is told to a terminal and to a pull request."""
