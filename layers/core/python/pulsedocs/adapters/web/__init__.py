"""Reads pages of the web without being led into a private network."""

from pulsedocs.adapters.web.fetcher import GuardedFetcher

__all__ = ["GuardedFetcher"]
