"""How many of a thing there are, as people write it."""


def counted(number: int, noun: str) -> str:
    """Return "1 page", or "2 pages"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
