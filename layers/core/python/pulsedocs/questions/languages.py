"""In which languages a question and its passages are, and which model can judge them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pulsedocs.answering.languages import language_of
from pulsedocs.embedding import Declared
from pulsedocs.model.languages import is_in_latin_letters
from pulsedocs.ports.providers import LanguageReader
from pulsedocs.retrieval.evidence import Passage


def language_read(text: str, reader: LanguageReader, *, expected: str | None) -> str | None:
    """Return the language of a text: what its letters and its small words both say, or its letters.

    "Quand part le ferry ?" is French by its letters 8 times more likely than English, which is less
    than the 10 times that letters alone have to say.
    """
    likeliest = reader(text, expected=None)
    if likeliest is not None and likeliest == language_of(text):
        return likeliest
    return reader(text, expected=expected)


@dataclass(frozen=True, slots=True)
class Judges:
    """The models that may judge for a question in `asked`; no reranker: words are compared."""

    asked: str | None
    embedder: Declared
    reranker: Declared | None

    def may_miss(self, passages: Sequence[str | None]) -> bool:
        """Say whether an answer in other words than the question's may be missed.

        That is so where no model knows the question's language, or the language of most passages.
        """
        unknown = sum(not self._is_known(one) for one in passages)
        return not self._is_known(self.asked) or 2 * unknown > len(passages)

    def _is_known(self, language: str | None) -> bool:
        models = (self.embedder, self.reranker)
        return any(one is not None and one.knows(language) for one in models)

    @property
    def reranks(self) -> bool:
        """Say whether the reranker is worth asking.

        Of what no model here knows, the reranker still compares the words where they are in Latin
        letters: an English one ranked 36 of 36 answers of six such languages first, and let 0 of
        19 unrelated questions through. Of other letters it knows none: it gave .99 to everything.
        """
        if self.reranker is None:
            return False
        if self.reranker.knows(self.asked):
            return True
        return not self.embedder.knows(self.asked) and is_in_latin_letters(self.asked or "")

    def marked(self, passage: Passage, language: str | None) -> Passage:
        """Return the passage with what its language means for whoever judges it."""
        crosses = None not in (self.asked, language) and self.asked != language
        if not self.embedder.knows(self.asked):
            by_similarity = False
        elif self.reranker is None:  # words are compared: the same ones, in the same letters
            by_similarity = crosses or not is_in_latin_letters(language or "")
        elif not self.reranker.knows(self.asked):
            by_similarity = True
        else:
            by_similarity = self.embedder.knows(language) and not self.reranker.knows(language)
        return replace(passage, crosses_language=crosses, by_similarity=by_similarity)
