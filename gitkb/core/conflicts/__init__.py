"""What a merge could not decide: as values in a record, and as markers in a file."""
