"""A stage for the frameworks that people build with; each module imports its own."""
