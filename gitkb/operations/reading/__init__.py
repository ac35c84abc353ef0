"""What the verbs that read stand on: the index opened, edges followed, trust applied, an end to long work."""
