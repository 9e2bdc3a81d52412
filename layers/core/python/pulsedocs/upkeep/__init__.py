"""What keeps a stage in order: migrations and the sweep."""
