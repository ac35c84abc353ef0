"""One verb, one function, one typed result; nothing here prints or exits."""
