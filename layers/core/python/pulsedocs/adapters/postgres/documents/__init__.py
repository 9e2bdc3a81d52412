"""PostgreSQL for `pulsedocs.documents`."""
