"""What `conflicts` and `resolve` stand on: what is contested, who wrote it, and how each kind is settled."""
