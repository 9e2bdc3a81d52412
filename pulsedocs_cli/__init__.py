"""The `pulsedocs` command: a stage's operations, and what needs no stage at all."""

from pulsedocs.client.local import find_runtime

find_runtime()  # several commands import `infra` or `local`
