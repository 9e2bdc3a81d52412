"""What the use cases need from the outside world. Adapters implement these; fakes do too."""
