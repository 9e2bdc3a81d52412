"""How good it is: data sets, metrics and what was fitted to them."""
