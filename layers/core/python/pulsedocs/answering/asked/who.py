"""Who asks who, and which texts tell it: somebody who is not asked about."""

import re
from typing import Final

from pulsedocs.answering.asked.forms import is_said, words_of
from pulsedocs.answering.asked.opposites import same_as
from pulsedocs.answering.asked.people import says_who
from pulsedocs.answering.asked.question_words import WHO
from pulsedocs.answering.asked.things.times import WHEN
from pulsedocs.answering.languages import as_plain, language_of

_DUTCH_WHO: Final = re.compile(r"^\W*(?:(?:aan|bij|van|met|voor|door|naar)\s)?wie\b")
_ASKS_WHO_ACTS: Final = re.compile(rf"\W*(?:{WHO})\b")
_ASKS_WHO_IS: Final = re.compile(
    rf"\W*(?:(?:{WHO}|wie) (?:is|are|was|were|ist|sind|war|waren|est"
    r"|sont|es|son|e|sono|sao|zijn)|who's)\b"
)
_ASKS_WHO_IS_THE: Final = re.compile(
    rf"{_ASKS_WHO_IS.pattern} (?:the|my|our|your|d(?:er|ie|as)|l[aeo]s?|il|el|gli|o|a|os|as)\b"
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_IN_ER: Final = re.compile(r"\b[^\W\d_]{3,40}er\b", re.IGNORECASE)
_ACTOR: Final = re.compile(
    r"\W*(?:(?:the|an?|d(?:er|ie|as)|eine?|les?|la|une?|el|l[oa]s|il|lo|gli|i)\s|l['\u2019])\s*"
    r"([^\W\d_]{3,})\s+"
    r"(?!(?:is|are|was|were|has|have|had|will|can|may|must|wird|werden|wurden?|ist|sind|est|sont|a"
    r"|ont|es|son|se|\u00e8|sono|viene|vengono)\b)",
    re.IGNORECASE,
)
"""Who acts, before what is done; not what something is done to."""


def with_who(asked: str, *, passage: str) -> str:
    """Return a Dutch question with "who" for its "wie", which is "how" in German."""
    is_dutch = "wie" in asked and (language_of(asked) or language_of(passage)) == "nl"
    return _DUTCH_WHO.sub("who", asked) if is_dutch else asked


def has_person(asked: str, own: str, text: str) -> bool:
    """Nobody is meant by Saturdays, a freezer, or another word in "er" that is asked about.

    Who the landlord is, no word for landlords says.
    """
    named = WHEN.sub(" ", text)
    if _ASKS_WHO_IS.match(asked):
        words = words_of(asked)
        words = words.union(*map(same_as, words))
        told = _WORD.sub(
            lambda found: "" if is_said(as_plain(found[0]), words) else found[0], named
        )
    else:
        told = _IN_ER.sub(lambda found: "" if as_plain(found[0]) in asked else found[0], named)
    acts = _ASKS_WHO_ACTS.match(asked) is not None and _has_actor(own, asked)
    return acts or says_who(told, language=language_of(asked))


def _has_actor(text: str, asked: str) -> bool:
    """Say whether a text begins with somebody who does something, and whom nobody asked about.

    Who the tenant is, "the rent is due" does not say.
    """
    actor = _ACTOR.match(text)
    if actor is None or _ASKS_WHO_IS_THE.match(asked):
        return False
    return not is_said(as_plain(actor[1]), words_of(asked))
