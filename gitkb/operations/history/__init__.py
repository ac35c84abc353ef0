"""What git's history says of entries, kept up to HEAD: who wrote them, and what became of their files."""
