"""Programs that git itself calls: the merge driver. They import the core and the errors alone."""
