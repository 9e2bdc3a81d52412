"""What all handlers share: tasks, the HTTP API, authorisation and observability."""
