"""The command line: parses, calls one operation, shows its result."""
