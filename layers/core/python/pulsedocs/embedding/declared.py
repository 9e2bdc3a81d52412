"""What each model declares of itself: the languages it was trained on, and how much it reads.

A model that declares nothing is taken at its word in every language and length: right for hosted
ones, which are multilingual and refuse what is too long; an assumption for a plug-in.
"""

from dataclasses import dataclass
from typing import Final

from pulsedocs.model.languages import CODES

_ENGLISH: Final = frozenset({"en"})
_MULTILINGUAL: Final = "local:muse@512"
_MANY: Final = frozenset(
    (*("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th"), "tr", "zh")
)


@dataclass(frozen=True, slots=True)
class Declared:
    """`languages` by ISO code, None for any; `tokens` of its own tokenizer, None for no limit.

    A longer text is read in windows.
    """

    languages: frozenset[str] | None = None
    tokens: int | None = None

    def knows(self, language: str | None) -> bool:
        """Say whether the model can judge a language; an unrecognised one counts as known."""
        return self.languages is None or language is None or language in self.languages


_DECLARED: Final = {
    "local:bge-small-en-v1.5": Declared(_ENGLISH, tokens=512),
    "local:ms-marco-MiniLM-L12-v2": Declared(_ENGLISH, tokens=512),
    "local:pulsedocs-answers": Declared(_ENGLISH, tokens=512),
    "local:answerai-colbert-small-v1": Declared(_ENGLISH, tokens=512),
    "local:muse": Declared(_MANY),
    "local:pulsedocs-multilingual-answers": Declared(_MANY),
    "cohere:rerank-english-v3.0": Declared(_ENGLISH),
    "cohere:embed-english-v3.0": Declared(_ENGLISH),
}


def declared(model: str) -> Declared:
    """Return what a model declares, named with its dimensions or without."""
    name, _, _dimensions = model.partition("@")
    return _DECLARED.get(name, Declared())


def is_local(model: str) -> bool:
    """Say whether a model runs on this machine: only there may it be asked for each sentence."""
    return model.startswith("local:")


def model_for(language: str, *, default: str) -> str:
    """Return a stage's model, or where that does not know a language, one that comes with it.

    `language` is PostgreSQL's name; the multilingual model is in the packages of every local one.
    """
    code = CODES.get(language)
    is_better = not declared(default).knows(code) and declared(_MULTILINGUAL).knows(code)
    return _MULTILINGUAL if is_local(default) and is_better else default
