"""What makes a text findable: words, stems, spelling, and how hits are ranked."""
