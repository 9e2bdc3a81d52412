"""PostgreSQL for `pulsedocs.batches`."""
