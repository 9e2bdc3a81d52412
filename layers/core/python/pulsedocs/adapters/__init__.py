"""What the outside world looks like from here: one package per SDK, each behind a port."""
