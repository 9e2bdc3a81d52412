"""PostgreSQL for `pulsedocs.embedding_models`."""
