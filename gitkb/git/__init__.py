"""Git, asked and answered: the only package that starts the git program."""
