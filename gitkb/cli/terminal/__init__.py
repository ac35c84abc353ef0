"""How answers look to a person at a terminal: width, colour, paging, tables, progress."""
