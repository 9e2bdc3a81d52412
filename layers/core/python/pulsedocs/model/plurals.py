"""How many of a thing there are, as people write it."""

import math


def counted(number: int, noun: str) -> str:
    """Return "1 page", or "2 pages"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def megabytes(size: int) -> str:
    """Return "50.1 MB" of so many bytes, rounded up: what is too large never looks as allowed."""
    return f"{math.ceil(10 * size / 2**20) / 10:g} MB"
