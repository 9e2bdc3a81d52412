"""Before a deployment: what in this account and on this machine would stop it."""
