"""Documents and collections as clients see and change them."""
