"""PostgreSQL for `pulsedocs.questions`."""
