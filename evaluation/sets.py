"""Data sets of the project's own texts, each for one thing that larger ones do not ask about."""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Final

from evaluation.datasets import QUESTIONS, Dataset, Document, plain, rows
from pulsedocs.model.evaluations import Expected, LabelledQuestion
from pulsedocs.model.languages import NAMES, text_search_of
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
_COMPANIES: Final = ("Aldermere", "Brightwater Energy", "Castellan", "Dunmore Health")
_REPORTED: Final = (
    ("Capital expenditure of the year was {} million.", "What was {} capital expenditure in {}?"),
    (
        "At the end of the year the company employed {} people.",
        "How many people did {} employ in {}?",
    ),
    ("The dividend for the year is {} cents a share.", "What dividend a share did {} pay for {}?"),
    (
        "Research and development cost {} million.",
        "How much did research and development cost {} in {}?",
    ),
    ("Net sales of the year were {} million.", "What were the net sales of {} in {}?"),
)
_MODELS: Final = ("HX-200", "HX-300", "HX-450")
_STATED: Final = (
    (
        "The safety valve opens at {} kilopascal.",
        "At what pressure does the safety valve of the {}{} open?",
    ),
    ("The filter is changed every {} hours.", "How often is the filter of the {}{} changed?"),
    ("The pump weighs {} kilograms without oil.", "How much does the {}{} weigh without oil?"),
    ("The tank holds {} litres of oil.", "How many litres of oil does the tank of the {}{} hold?"),
    ("The motor draws {} watts at full load.", "How many watts does the motor of the {}{} draw?"),
)
_REMARKS: Final = (
    "Figures are rounded, and the notes that follow are a part of them.",
    "What has changed against the edition before is marked at the margin.",
    "The responsible office answers questions within five working days.",
    "Where two values differ, the later one applies.",
    "The table at the end lists every item by its number.",
    "Nothing in this part limits what the law demands.",
    "Units are those of the international system unless another is named.",
    "The method of measurement is the one that was used before.",
)
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_SHORTEST_MISSPELT: Final = 4  # letters: an edit makes another word of a shorter one


def near_misses() -> Dataset:
    """Return facts, and for each a question that it answers and one beside the point."""
    return _pairs("near misses")


def own_words() -> Dataset:
    """Return facts, each with a question that is put in words of its own, and one beside the point.

    The answer is an opposite of what is asked ("covered", "excluded"), or of a kind ("snake",
    "reptiles"), or its subject stands in the sentence before, or the question says "this document".
    """
    return _pairs("own words")


def _pairs(name: str) -> Dataset:
    texts: dict[str, list[str]] = defaultdict(list)
    questions: list[LabelledQuestion] = []
    for row in rows(QUESTIONS / f"{name.replace(' ', '_')}.jsonl"):
        texts[row["source"]].append(row["text"])
        place = Expected(row["source"], quote=row["text"])
        questions.append(LabelledQuestion(row["question"], (place,)))
        questions.append(LabelledQuestion(row["near_miss"], answerable=False))
    documents = tuple(plain(source, "\n\n".join(own)) for source, own in texts.items())
    return Dataset(name, documents, tuple(questions))


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


def rules() -> Iterator[Dataset]:
    """Yield a page of rules in each language that the multilingual judge was not taught.

    Whoever wrote them knew the product (decision 0079).
    """
    for row in rows(QUESTIONS / "rules.jsonl"):
        source, name = f"{row['language']}.txt", NAMES[row["language"]]
        answered = (
            LabelledQuestion(question, (Expected(source, quote=said),))
            for question, said in row["answered"]
        )
        beside = (LabelledQuestion(one, answerable=False) for one in row["near_misses"])
        yield Dataset(
            f"rules, {name}",
            (plain(source, row["text"]),),
            (*answered, *beside),
            language=text_search_of(name),
        )


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


def siblings() -> Dataset:
    """Return reports of four companies over four years, and manuals of three models.

    They say the same with other figures and in an order of their own, and no passage says whose it
    is: only titles and the names of files do.
    """
    documents: list[Document] = []
    questions: list[LabelledQuestion] = []
    kinds = [
        (f"{owner.replace(' ', '').upper()}_{year}_10K", _REPORTED, owner, str(year))
        for owner in _COMPANIES
        for year in range(2019, 2023)
    ]
    kinds += [(f"{model}_operating_manual", _STATED, model, "") for model in _MODELS]
    for number, (name, facts, owner, year) in enumerate(kinds):
        draw = random.Random(name)
        said = [(fact.format(draw.randrange(120, 980)), question) for fact, question in facts]
        source = f"{name}.txt"
        for turn in range(2):
            text, question = said[(number + turn * 3) % len(said)]
            asked = question.format(
                owner.lower() if turn else owner, f"FY{year}" if turn and year else year
            )
            questions.append(LabelledQuestion(asked, (Expected(source, quote=text),)))
        draw.shuffle(said)
        parts = [f"{text} {' '.join(draw.sample(_REMARKS, 3))}" for text, _ in said]
        documents.append(plain(source, "\n\n".join(parts)))
    return Dataset("siblings", tuple(documents), tuple(questions))


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
