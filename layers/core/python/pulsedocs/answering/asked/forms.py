"""Whether a text says a word: as it is, inflected, in other parts, or as German joins it."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Final

from pulsedocs.answering.asked.terms import (
    FORM_WORDS,
    NAMED_A,
    PART,
    THOUSANDS,
    WORD,
    in_one,
)
from pulsedocs.answering.languages import as_typed
from pulsedocs.answering.wording import OPTION, alike_from_start, folded
from pulsedocs.model.years import with_plain_quarters, years_in

FEWEST_LETTERS: Final = 4  # shorter words are not held to be misspelt: "cat" is no "car"
_STEM: Final = 6  # letters that inflected and derived forms of a word share
_SHORTEST_STEM: Final = 3  # letters: without its ending, "his" is no "hi"
_DOUBLED: Final = frozenset("bdgmnprtz")  # before an ending: "stopped"; "fill" is no "file"
_LONGEST_ENDING: Final = (
    5  # letters behind them: "deliveries"; not the "gebühr" of "Aufnahmegebühr"
)
_LONGEST_OTHER_ENDING: Final = 7  # where both have one: "classification", "classified"
_SHORTEST_HALF: Final = 4  # letters of both that make two compounds: "Gartenzaun", "Gartenfest"
_LINK: Final = 2  # letters between the halves of a compound: "Arbeitszimmer", "Sonnenschirm"
_SHORTEST_HEAD: Final = 5  # letters: a "Jahresbeitrag" is a "Beitrag"
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+")
_WITH_COMMAS: Final = re.compile(r"(?<!\d)\d+(?:,\d+)+")  # "3,50" is also written "3.50"
_WITH_THOUSANDS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,]\d{3})+(?!\d)")
_COUNTS: Final = tuple(
    line.split()
    for line in (
        "2 two zwei deux dos",  # Italian "due" is when an English rent is to be paid
        "3 three drei trois tres tre",
        "4 four vier quatre cuatro quattro",
        "5 five f\u00fcnf cinq cinco cinque",
        "6 six sechs seis sei",
        "7 seven sieben sept siete sette",
        "8 eight acht huit ocho otto",
        "9 nine neun neuf nueve nove",
        "10 ten zehn dix diez dieci",
        "12 twelve zw\u00f6lf douze doce dodici",
    )
)
_NUMERALS: Final = {
    word: (figure, *words) if word == figure else (figure,)
    for figure, *words in _COUNTS
    for word in (figure, *words)
}
"""What says a number as well: "four" is "4", and "4" is "four", "vier", "quatre"."""
FIGURES: Final = {word: int(figure) for word, (figure, *_) in _NUMERALS.items()}


@lru_cache(maxsize=512)
def words_of(text: str) -> frozenset[str]:
    """Return a text's words, their parts, the years in them, and options as they are written.

    Who types a word without its marks means it too. Who says 9,000 does not say 9.
    """
    plain = _WITH_THOUSANDS.sub(lambda found: THOUSANDS.sub("", found[0]), text)
    words = [word.lower() for word in WORD.findall(with_plain_quarters(plain))]
    codes = (word.lower() for word in WORD.findall(in_one(text)) if _is_code(word))
    return frozenset(
        (
            *words,
            *chain.from_iterable(map(as_typed, words)),
            *years_in(text),
            *(number.replace(",", ".") for number in _WITH_COMMAS.findall(text)),
            *(part for word in words for part in PART.findall(word)),
            *(code.replace("-", "") for code in codes),
            *OPTION.findall(text),
            *NAMED_A.findall(text),
        )
    )


def _is_code(word: str) -> bool:
    """Say whether a word has letters and figures, which with a hyphen or without mean the same."""
    return "-" in word and any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def is_said(term: str, said: frozenset[str]) -> bool:
    """Say whether a word is there, inflected or in other parts; of one with figures, all of it."""
    if term in said:
        return True
    if term.startswith("-"):  # "-W" is not "-w", but the warndays of "--warndays" may be a word
        return len(term) > len("-W") and term.strip("-").lower() in said
    parts = PART.findall(term)
    if _VERSION.fullmatch(term):  # 2.3 is not said by 1.2 and 1.3, nor by 23
        return False
    if any(map(str.isdigit, term)):
        return "".join(parts) in said or all(_is_counted(part, said) for part in parts)
    return all(
        _is_counted(part, said)
        or inflected(part) & said
        or any(_agree(part, word) for word in said)
        for part in parts
    )


def _is_counted(part: str, said: frozenset[str]) -> bool:
    """Say whether a word is there, or a number as the other of figures and words: "4", "four"."""
    return part in said or not said.isdisjoint(_NUMERALS.get(part, ()))


def _agree(one: str, other: str) -> bool:
    """Say whether two words are forms of one: they begin alike and differ in their endings only.

    The six letters that "Aufnahme" and "Aufnahmegebühr" share say nothing of the fee.
    """
    one, other = folded(one), folded(other)
    if len(one) < _STEM or len(other) < _STEM or one[:_STEM] != other[:_STEM]:
        return False
    alike = alike_from_start(one, other)
    shorter, longer = sorted((len(one) - alike, len(other) - alike))
    limit = _LONGEST_OTHER_ENDING if shorter else _LONGEST_ENDING
    return shorter < _SHORTEST_HALF and longer <= limit


def are_compounds(one: str, other: str) -> bool:
    """Say whether two German words have one beginning and two ends, as compounds of it have.

    A "Kassenwart" is no "Kassenpr\u00fcfer", though an embedder finds them alike.
    """
    alike = alike_from_start(one, other)
    return alike >= _SHORTEST_HEAD and min(len(one), len(other)) - alike >= _SHORTEST_HALF


def is_compound(one: str, other: str) -> bool:
    """Say whether one word is the beginning of the other: an embedder takes them for the same."""
    shorter, longer = sorted((one, other), key=len)
    is_longer = len(longer) - len(shorter) > _LONGEST_ENDING
    return is_longer and longer.startswith(shorter[:_SHORTEST_HEAD])


_GERMAN_FORM: Final = re.compile(
    r"^(?:ge|(?P<before>ab|an|auf|aus|ein|vor|zu|mit|nach|um)(?:ge|zu)(?=\w{4}))?"
    r"(?P<stem>\w{3,}?)(?:e?t?e[nrmst]?|e?te?[nst]?|st|s|n)?$"
)
_UMLAUTS: Final = str.maketrans("\u00e4\u00f6\u00fc", "aou")  # one "Schaden", two "Sch\u00e4den"
_PARTICIPLE: Final = re.compile(
    r"^(?P<before>ab|an|auf|aus|ein|vor|zu|mit|nach|um)?ge(?P<stem>\w{3,})en$"
)
_VOWELS: Final = str.maketrans(dict.fromkeys("aeiou") | {"\u00df": "ss"})
_FEWEST_CONSONANTS: Final = 3  # "gefunden", "findet"; "gelesen" and "leist" share two


def _german_stem(word: str) -> str:
    """Return a German word without what inflection puts around and on it: "Schäden", "gezahlt"."""
    word = word.translate(_UMLAUTS)
    form = _GERMAN_FORM.match(word)
    return f"{form['before'] or ''}{form['stem']}" if form else word


@lru_cache(maxsize=64)  # each word of a question asks again
def _german_stems(said: frozenset[str]) -> frozenset[str]:
    return frozenset(_german_stem(word) for word in said if len(word) >= FEWEST_LETTERS)


def _is_strong_form(one: str, other: str) -> bool:
    """Say whether one is the participle of the other: strong verbs change their vowel.

    "Gestrichen" is of who "streicht", and "abgeschlossen" of "abschließen".
    """
    participles = [_PARTICIPLE.match(word) for word in (one, other)]
    if not any(participles):
        return False
    stems = [
        f"{form['before'] or ''}{form['stem']}" if form else _german_stem(word)
        for form, word in zip(participles, (one, other), strict=True)
    ]
    first, second = (stem.translate(_UMLAUTS).translate(_VOWELS) for stem in stems)
    return first == second and len(first) >= _FEWEST_CONSONANTS


def is_said_in_german(term: str, said: frozenset[str], *, beside: Iterable[str] = ()) -> bool:
    """Say whether a word is there inflected as German does it, in a compound, or apart.

    A "Wasserschaden" is a "Schaden durch Wasser", and a "Telefonnummer" what "Telefon" names. The
    first half of a compound is said where the other one stands `beside` it in the question: the
    "Kellerschlüssel" is the "Schlüssel zum Keller".
    """
    stem = _german_stem(term)
    stems_said = _german_stems(said)
    if len(stem) >= FEWEST_LETTERS and stem in stems_said:
        return True
    if any(_is_strong_form(term, word) for word in said):
        return True
    if len(stem) >= _SHORTEST_HEAD and any(
        len(word) > len(term) and word.endswith(term) for word in said
    ):
        return True
    if len(term) >= FEWEST_LETTERS and any(
        word.endswith(head) and len(word) <= len(term + head) + _LINK
        for word in said
        if word.startswith(term)  # first: few do, and a long question has 80 heads
        for head in beside
        if head != term and len(head) >= FEWEST_LETTERS
    ):
        return True
    halves = ((term[:at], term[at:]) for at in range(FEWEST_LETTERS, len(term) - 3))
    return any(
        _german_stem(first) in stems_said
        and (last in FORM_WORDS or _german_stem(last) in stems_said)
        for first, last in halves
    )


_DUTCH_PARTICIPLE: Final = re.compile(
    r"(?P<before>aan|af|bij|door|in|mee|na|om|op|toe|uit|voor|weg)?(?:ge|te)(?P<stem>\w{3,}(?:[dt]|en))"
)
_DUTCH_FIRST: Final = re.compile(r"(?!(?:ver|ont|her|be|on)$)[^\W\d_]{2,20}")
"""Before the head of a compound; who lets is a "verhuurder", who rents a "huurder"."""
_DUTCH_ENDINGS: Final = ("", "en", "n", "e", "t", "d", "te", "de", "ten", "den", "s")
_DUTCH_LONG_VOWEL: Final = re.compile(r"([aeou])\1(?=[^aeiou]+$)")
_DUTCH_LAST: Final = str.maketrans("vz", "fs")  # "huizen" of a "huis"


def is_said_in_dutch(term: str, said: frozenset[str]) -> bool:
    """Say whether a word is there inflected as Dutch does it, or ends a compound.

    What is "gereserveerd" somebody "reserveert", and one "baan" is of several "banen".
    """
    stems = _dutch_stems(term)
    heads = (word.removesuffix(term) for word in said if word.endswith(term))
    is_head = len(term) >= _SHORTEST_HEAD and any(map(_DUTCH_FIRST.fullmatch, heads))
    return is_head or any(not stems.isdisjoint(_dutch_stems(word)) for word in said)


@lru_cache(maxsize=2048)
def _dutch_stems(word: str) -> frozenset[str]:
    """Return what a Dutch word may be inflected from, as the endings that it may have leave it."""
    words = [word]
    if participle := _DUTCH_PARTICIPLE.fullmatch(word):
        words.append(f"{participle['before'] or ''}{participle['stem']}")
    stems = (one.removesuffix(end) for one in words for end in _DUTCH_ENDINGS)
    return frozenset(_spelled_short(one) for one in stems if len(one) >= _SHORTEST_STEM)


def _spelled_short(stem: str) -> str:
    """Return a stem as in an open syllable: "baan" as in "banen", "zegg" as "zeg"."""
    stem = _DUTCH_LONG_VOWEL.sub(r"\1", stem)
    if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return stem[:-1] + stem[-1].translate(_DUTCH_LAST)


_ROMANCE_FORM: Final = re.compile(
    r"(?P<stem>\w{4,}?)(?:re|[aei]r|are|ere|ire|ent|[aei]n|[aei]m|ez|ons|ant|ait|aient"
    r"|\u00e9e?s?|[aiu][dt][oaie]s?|ano|ono|[aeio]s?|s|x)?"
)
ROMANCE: Final = frozenset({"fr", "es", "it", "pt"})
_PARTICIPLE_OF_ROMANCE: Final = re.compile(r"\w{3,}[aiu][dt][oa]")
_GENDERS: Final = frozenset("ao")


def is_said_in_romance(term: str, said: frozenset[str]) -> bool:
    """Say whether a verb is there in another form: who asks where to "ranger" is told "se rangent".

    "Porta" is not "porto": nouns that differ in their last "a" or "o" are two things.
    """
    stem = _romance_stem(term)
    return any(
        word[:-1] == term[:-1] or _romance_stem(word) == stem
        for word in said
        if word[:FEWEST_LETTERS] == term[:FEWEST_LETTERS]
        and (frozenset((word[-1], term[-1])) != _GENDERS or _PARTICIPLE_OF_ROMANCE.fullmatch(term))
    )


def _romance_stem(word: str) -> str:
    form = _ROMANCE_FORM.fullmatch(word)
    return form["stem"] if form else word


@lru_cache(maxsize=512)
def inflected(word: str) -> frozenset[str]:
    """Return short words as they are inflected in English: "vans", "carries", "stopped"."""
    stems = {word, word.removesuffix("e")}
    for end in ("s", "es", "ed", "d", "ing"):
        stems |= {word.removesuffix(end), word.removesuffix(end).removesuffix("e")}
    stems = {stem for stem in stems if stem == word or len(stem) >= _SHORTEST_STEM}
    forms = {
        stem + end for stem in stems for end in ("", "s", "es", "ed", "d", "ing", "n", "en", "e")
    }
    forms |= {word + word[-1] + end for end in ("es", "ed", "ing") if word[-1] in _DOUBLED}
    forms |= {
        stem[:-1] + end
        for stem in stems - {word}
        for end in ("", "s")
        if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] and stem[-1] in _DOUBLED
    }
    if word.endswith("y"):
        forms |= {word[:-1] + "ies", word[:-1] + "ied"}
    if word.endswith(("ies", "ied")):
        forms |= {word[:-3] + end for end in ("y", "ies", "ied")}
    return frozenset(form for form in forms if len(form) > 1)
