"""Languages by their ISO 639-1 codes, and the names that PostgreSQL has for most of them."""

from collections import Counter
from typing import Final
from unicodedata import name

_NAMES: Final = (
    "ar arabic, hy armenian, eu basque, ca catalan, da danish, nl dutch, en english, et estonian,"
    " fi finnish, fr french, de german, el greek, hi hindi, hu hungarian, id indonesian, ga irish,"
    " it italian, lt lithuanian, ne nepali, no norwegian, pt portuguese, ro romanian, ru russian,"
    " sr serbian, es spanish, sv swedish, ta tamil, tr turkish, yi yiddish, zh chinese,"
    " ja japanese, ko korean, pl polish, th thai"
)
WITHOUT_FORMS: Final = frozenset({"chinese", "japanese", "korean", "polish", "thai"})
"""Of which PostgreSQL knows no inflected forms, but a model of this product the meaning."""
CODES: Final = {name: code for code, name in (pair.split() for pair in _NAMES.split(","))}
"""By name, mostly that of a text search configuration; `simple` says nothing of a language."""
NAMES: Final = {code: name for name, code in CODES.items()}


def language_named(text: str) -> str:
    """Return the name of a language, given by it or by its code: "German", "de"."""
    return NAMES.get(text.lower(), text.lower())


def text_search_of(language: str) -> str:
    """Return the text search configuration of a language that is named as PostgreSQL would."""
    return "simple" if language in WITHOUT_FORMS else language


_OTHER_LETTERS: Final = frozenset(
    "ar bg el fa he hi hy ja ko ne ru sr ta th uk yi zh".split()  # noqa: SIM905 -- read as a list
)


_SCRIPTS: Final = {
    "CJK": ("Chinese", "zh"),
    "HIRAGANA": ("Japanese", "ja"),
    "KATAKANA": ("Japanese", "ja"),
    "HANGUL": ("Korean", "ko"),
    "THAI": ("Thai", "th"),
    "ARABIC": ("Arabic", "ar"),
    "CYRILLIC": ("Cyrillic", "ru"),
    "GREEK": ("Greek", "el"),
    "HEBREW": ("Hebrew", "he"),
    "DEVANAGARI": ("Devanagari", "hi"),
}
"""What they are called, and their commonest language, by the first word of a letter's name."""
_SHARE_OF_KANA: Final = 0.1  # of the letters of a Japanese text at least; a Chinese one has none


def script_of(text: str) -> tuple[str, str] | None:
    """Return the script of most letters and its commonest language; None for Latin letters."""
    counts = Counter[tuple[str, str] | None]()
    for one, times in Counter(text).items():  # a text has few letters, each a thousand times
        if one.isalpha():
            counts[_SCRIPTS.get(name(one, "").partition(" ")[0])] += times
    japanese = _SCRIPTS["HIRAGANA"]
    if counts[japanese] > _SHARE_OF_KANA * counts.total():
        return japanese
    return max(counts, key=counts.__getitem__, default=None)


def is_in_latin_letters(language: str) -> bool:
    return language not in _OTHER_LETTERS


def is_in_other_letters(text: str) -> bool:
    """Say whether a text has letters, and none of them is Latin."""
    letters = [one for one in text if one.isalpha()]
    return bool(letters) and not any("LATIN" in name(one, "") for one in letters)
