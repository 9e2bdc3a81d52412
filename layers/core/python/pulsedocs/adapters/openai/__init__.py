"""OpenAI and everything that speaks its API."""
