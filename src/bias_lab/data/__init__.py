"""Tasks: texts with a gold score in [0, 1], read from files and checked line by line."""
