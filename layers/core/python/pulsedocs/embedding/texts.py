"""Texts as a provider can take them."""


def encodable(text: str) -> str:
    """Put `?` in place of lone surrogates, which neither JSON in UTF-8 nor a tokenizer can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
