"""What a store needs in its clone, and what is said where something of it is missing."""
