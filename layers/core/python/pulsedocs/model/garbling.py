"""Tells text that a person can read from what is left of it where a file says wrong letters."""

import re
import unicodedata

_WORST_SHARE = 0.2  # of replacement, private and unassigned characters
_READABLE_SHARE = 0.3  # of letters and digits; dotted leaders and rulers stay below
_LONGEST_RUN = 200  # characters of ASCII without a space: no word, and no readable address
_UNREADABLE = frozenset({"Co", "Cn", "Cs", "Cc"})
_RULER = re.compile(r"[._\u2026\u00b7-]\s?(?:[._\u2026\u00b7-]\s?){3,}")  # of contents, and forms
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_NOT_READABLE = re.compile(r"[\W_]")  # exactly the characters that are not `isalnum()`
_READABLE = bytes(code for code in range(128) if chr(code).isalnum())

# UTF-8 read as Latin-1 or Windows-1252: a lead byte as a letter, then bytes 80 to BF as what they
# are there. Real text has such a pair now and then, never in one of ten words.
_MISREAD = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u0178\u2013-\u2122]")
_MOST_MISREAD = 0.1  # pairs per word

# Letters of a subset font under wrong codes keep their length but lose their vowels.
_LATIN_WORD = re.compile(r"[a-z\u00df-\u00f6\u00f8-\u017f]{6,}")
_UNSPEAKABLE = re.compile(r"[b-df-hj-np-tv-xz]{5}\S*")  # a word once; y is a vowel here
_FEWEST_WORDS = 10
_MOST_UNSPEAKABLE = 0.3  # German, with "Angstschweiss" and "Rechtsschutz", stays below a tenth


def is_garbled(text: str) -> bool:
    """Say whether nobody could read a text; one without a letter or a figure is such a text."""
    words = text.split()
    dense = "".join(words)
    return (
        not dense
        or _share_readable(dense) < _READABLE_SHARE
        or (dense.isascii() and max(map(len, words)) > _LONGEST_RUN)
        or has_wrong_letters(text)
    )


def has_wrong_letters(text: str) -> bool:
    """Say whether a file says other letters than it shows; dotted leaders and rulers are none."""
    words = _RULER.sub(" ", text).split()
    dense = "".join(words)
    if not dense:
        return False
    others = [] if dense.isascii() else _NOT_ASCII.findall(dense)
    unreadable = sum(
        character == "\ufffd" or unicodedata.category(character) in _UNREADABLE
        for character in others
    )
    # Too many longer words of Latin letters with five consonants in a row cannot be spoken.
    long_words = _LATIN_WORD.findall(text.lower())
    unspeakable = len(_UNSPEAKABLE.findall(" ".join(long_words)))
    return (
        unreadable / len(dense) > _WORST_SHARE
        or _share_readable(dense) < _READABLE_SHARE
        or (bool(others) and len(_MISREAD.findall(dense)) > _MOST_MISREAD * len(words) + 1)
        or (len(long_words) >= _FEWEST_WORDS and unspeakable > _MOST_UNSPEAKABLE * len(long_words))
    )


def _share_readable(dense: str) -> float:
    # Where a table will do, it takes a tenth of the pattern.
    is_ascii = dense.isascii()
    others = dense.encode().translate(None, _READABLE) if is_ascii else _NOT_READABLE.findall(dense)
    return 1 - len(others) / len(dense)
