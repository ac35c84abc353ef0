"""What `check` looks at, one kind of problem a module."""
