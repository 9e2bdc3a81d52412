"""PostgreSQL for `pulsedocs.deletion`."""
