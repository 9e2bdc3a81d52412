"""Rows, vectors and the keyword index in PostgreSQL with pgvector."""
