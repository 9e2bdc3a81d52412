"""Data sets of the project's own texts, each for one thing that larger ones do not ask about."""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Final

from evaluation.datasets import QUESTIONS, Dataset, Document, plain, rows
from pulsedocs.model.evaluations import Expected, LabelledQuestion
from pulsedocs.retrieval.quality import normalised

_LANGUAGES: Final = ("en", "de", "fr", "es")
_LONG_WORDS: Final = 900  # beyond what the models read of a text at once, and all of a chunk
_FILLER: Final = (
    "On day {n} of the season the crew checked the ropes and wrote the result into the log.",
    "Cabin {n} was cleaned, its window was greased and its blankets were aired on the rail.",
    "The wind turned {n} times, and the mate entered each turn with the hour and his name.",
    "Barrel {n} was opened, tasted by the cook and found to be as good as the ones before it.",
)
_SHIPS: Final = ("Heron", "Plover", "Curlew")
_FACTS: Final = (
    (
        "The spare anchor of the {} lies under the chapel of Port Amber.",
        "Where does the spare anchor of the {} lie?",
    ),
    (
        "The pilot of the {} is paid 75 crowns for each passage.",
        "How much is the pilot of the {} paid for a passage?",
    ),
    ("The lantern of the {} is lit by Tomas Wren at dusk.", "Who lights the lantern of the {}?"),
    (
        "The winch of the {} holds 340 metres of cable.",
        "How many metres of cable does the winch of the {} hold?",
    ),
    ("Gunpowder of the {} is kept in the copper chest.", "Where is gunpowder of the {} kept?"),
    (
        "The surgeon boards the {} at Gull Island.",
        "Where does the surgeon board the {}?",
    ),
    (
        "The bell of the {} is rung in fog every two minutes.",
        "How often is the bell of the {} rung in fog?",
    ),
    (
        "The tar of the {} is boiled with resin from Lesk.",
        "With what is the tar of the {} boiled?",
    ),
)
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_SHORTEST_MISSPELT: Final = 4  # letters: an edit makes another word of a shorter one


def near_misses() -> Dataset:
    """Return facts, and for each a question that it answers and one beside the point."""
    texts: dict[str, list[str]] = defaultdict(list)
    questions: list[LabelledQuestion] = []
    for row in rows(QUESTIONS / "near_misses.jsonl"):
        texts[row["source"]].append(row["text"])
        place = Expected(row["source"], quote=row["text"])
        questions.append(LabelledQuestion(row["question"], (place,)))
        questions.append(LabelledQuestion(row["near_miss"], answerable=False))
    documents = tuple(plain(source, "\n\n".join(own)) for source, own in texts.items())
    return Dataset("near misses", documents, tuple(questions))


def languages() -> Dataset:
    """Return facts in four languages in turn, each asked for in all four."""
    documents: list[Document] = []
    questions: list[LabelledQuestion] = []
    for number, row in enumerate(rows(QUESTIONS / "four_languages.jsonl")):
        places: tuple[Expected, ...] = ()
        if row["fact"] is not None:
            text = row[_LANGUAGES[number % len(_LANGUAGES)]][0]
            documents.append(plain(f"fact {number}.txt", text))
            places = (Expected(f"fact {number}.txt", quote=text),)
        questions += [LabelledQuestion(row[one][1], places, bool(places)) for one in _LANGUAGES]
    return Dataset("languages", tuple(documents), tuple(questions), language="simple")


def long_chunks() -> Dataset:
    """Return texts of 900 words with a fact at the beginning, in the middle or at the end."""
    documents: list[Document] = []
    questions: list[LabelledQuestion] = []
    for number, (fact, question) in enumerate(_FACTS):
        for at, ship in enumerate(_SHIPS):
            lines = list(_log(number + 3 * at))
            lines.insert(at * len(lines) // 2, fact.format(ship))
            source = f"log {number} of the {ship}.txt"
            documents.append(plain(source, " ".join(lines)))
            place = Expected(source, quote=fact.format(ship))
            questions.append(LabelledQuestion(question.format(ship), (place,)))
    return Dataset("long chunks", tuple(documents), tuple(questions))


def _log(number: int) -> Iterator[str]:
    words, day = 0, number
    while words < _LONG_WORDS:
        line = _FILLER[day % len(_FILLER)].format(n=day + 1)
        words += len(line.split())
        day += 1
        yield line


def dates() -> list[Dataset]:
    """Return texts of two dates in either order of upload.

    Of versions that say the same but for a figure the newer is expected; what only speaks of the
    same thing never comes before an answer, however new it is.
    """
    documents: list[Document] = []
    questions: list[LabelledQuestion] = []
    for number, row in enumerate(rows(QUESTIONS / "versions.jsonl")):
        old, new = ("older", "newer") if "older" in row else ("answer", "near")
        sources = {kind: f"{kind} {number}.txt" for kind in (old, new)}
        documents += [
            replace(plain(sources[old], row[old]), content_date=date(2016, 4, 1)),
            replace(plain(sources[new], row[new]), content_date=date(2025, 4, 1)),
        ]
        right = "newer" if new == "newer" else "answer"
        places = (Expected(sources[right], quote=row[right]),)
        questions.append(LabelledQuestion(row["question"], places))
    return [
        Dataset("dates, newer uploaded last", tuple(documents), tuple(questions)),
        Dataset("dates, newer uploaded first", tuple(documents[::-1]), tuple(questions)),
    ]


def misspelt(dataset: Dataset, edits: int) -> Dataset:
    """Return the questions with so many typing errors each, the same on every run."""
    questions = tuple(
        replace(one, text=_misspelt(one.text, edits, random.Random(f"{edits} {number}")))
        for number, one in enumerate(dataset.questions)
    )
    return replace(dataset, name=f"{dataset.name}, typing errors: {edits}", questions=questions)


def _misspelt(text: str, edits: int, draw: random.Random) -> str:
    """Change letters within different words: one left out, doubled, wrong, or two swapped."""
    words = text.split(" ")
    long = [at for at, word in enumerate(words) if len(normalised(word)) >= _SHORTEST_MISSPELT]
    for at in draw.sample(long, min(edits, len(long))):
        word = words[at]
        place = draw.randrange(1, len(word) - 2)
        before, here, after = word[:place], word[place : place + 2], word[place + 2 :]
        kinds = (here[1], here[0] + here, draw.choice(_LETTERS) + here[1], here[::-1])
        words[at] = before + draw.choice(kinds) + after
    return " ".join(words)
