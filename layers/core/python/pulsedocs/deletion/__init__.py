"""Documents deleted, purged, and proven gone."""
