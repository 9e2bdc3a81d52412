"""AWS: the bucket, and functions that call functions."""
