"""The whole stage on one machine: the product's own handlers, SQL and state machine, offline."""
