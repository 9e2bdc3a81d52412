"""Token counts without a tokenizer."""


class WhitespaceTokenCounter:
    """Implements `ports.providers.TokenCounter`: a token is a word between white space."""

    def __call__(self, text: str) -> int:
        return len(text.split())
