"""Fakes that behave: instant, deterministic, and held to the contracts of the real adapters."""
