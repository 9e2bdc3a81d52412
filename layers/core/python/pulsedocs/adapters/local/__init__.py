"""Models that run in this process: no key, no network, the same bits on every run."""
