"""Cohere's own API, version 2.

Not through the `cohere` package: it brings its own HTTP client, a tokenizer and types for ten other
products, where three small JSON bodies through urllib3 cost the layer and the start nothing.
"""
