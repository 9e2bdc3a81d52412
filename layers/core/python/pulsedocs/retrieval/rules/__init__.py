"""The rules of selection, one a file, and their order."""
