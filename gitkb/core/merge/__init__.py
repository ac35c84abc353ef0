"""The merge of two sides and their base, by key and by field: pure, and all the merge driver imports."""
