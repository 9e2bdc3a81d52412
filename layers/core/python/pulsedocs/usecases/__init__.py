"""One verb per file: read, call the pure part, write."""
