"""The `pulsedocs` command: a stage's operations, and what needs no stage at all."""
