"""Which entries speak of what is touched: files, the words of a change, a plan."""
