"""PostgreSQL for `pulsedocs.upkeep`."""
