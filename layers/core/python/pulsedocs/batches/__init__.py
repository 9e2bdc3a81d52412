"""Whole prefixes of objects ingested a bounded number at a time."""
