"""What git and pre-commit call: the program behind the scripts in `hooks/`."""
