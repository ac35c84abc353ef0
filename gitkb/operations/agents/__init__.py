"""What coding agents have of gitkb in their own files, and what their hooks are told."""
