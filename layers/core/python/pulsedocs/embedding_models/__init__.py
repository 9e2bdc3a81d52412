"""Embedding models registered, backfilled, tried, promoted and retired."""
