"""Which language a text is in, from the letters it is made of; offline, the same on every run."""

from functools import lru_cache
from threading import Lock
from typing import Any, Final

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from pulsedocs.model.languages import is_in_latin_letters, is_in_other_letters

_KNOWN: Final = (
    *("ar", "bg", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hu"),
    *("id", "it", "ja", "ko", "lt", "lv", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr"),
    *("sv", "th", "tr", "uk", "vi", "zh"),
)
_SURE: Final = 0.4
_TIMES: Final = 10
"""A text is in another language than expected where that is so likely, and so many times likelier.
English of three words without grammar ("gymnasium hire price", "GDPR") stays English by one of the
two, German and Spanish of three words ("Was kostet das?") do not; of 192 questions and sentences
of one line in 14 languages one was named wrongly, Russian as Ukrainian."""
_MOST_CHARACTERS: Final = 1_000  # 0.2 ms; more characters add nothing
_KEPT: Final = 1_024  # texts: of a question's 80, a quarter came in the nine questions before it


class LettersReader:
    """Implements `ports.providers.LanguageReader`. Loading takes 2 s."""

    def __init__(self) -> None:
        self._identifier: Any = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
        self._identifier.set_languages(list(_KNOWN))
        self._in_use = Lock()
        self._known_shares = lru_cache(_KEPT)(self._shares)

    def __call__(self, text: str, *, expected: str | None) -> str | None:
        shares = self._known_shares(text[:_MOST_CHARACTERS])
        likeliest = max(shares, key=shares.__getitem__)
        is_sure = shares[likeliest] >= max(_SURE, _TIMES * shares.get(expected or "", 0.0))
        is_impossible = is_in_latin_letters(expected or "") and is_in_other_letters(text)
        return likeliest if is_sure or is_impossible else expected

    def _shares(self, text: str) -> dict[str, float]:
        with self._in_use:
            ranked = self._identifier.rank(text)
        return {str(language): float(share) for language, share in ranked}
