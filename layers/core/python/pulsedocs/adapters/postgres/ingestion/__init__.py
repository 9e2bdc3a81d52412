"""PostgreSQL for `pulsedocs.ingestion`."""
