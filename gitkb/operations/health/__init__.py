"""What `doctor` looks at, one part of a set-up a module."""
