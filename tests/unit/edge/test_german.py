"""Who reads German is told in German what a document lacks and what an error means."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pulsedocs import extraction, ingestion
from pulsedocs.edge import german
from pulsedocs.edge.problems import problem_document
from pulsedocs.errors import FileEmpty, PulseDocsError, branch
from pulsedocs.model import languages
from pulsedocs.model.pages import GUESSED, Page, PageOutcome
from pulsedocs.model.plurals import counted
from pulsedocs.model.warnings import in_another_language, in_other_letters, warnings_of
from pulsedocs.retrieval import explanation
from pulsedocs.retrieval import rules as rules_of_choice

PARTS = ("chart", "diagram", "embedded file")
SCRIPTS = ("Chinese", "Japanese", "Korean", "Cyrillic", "Greek", "Hebrew", "Devanagari", "Thai")
MODEL = "local:bge-small-en-v1.5@384"
ASKED = {"headers": {"Accept-Language": "de"}}
_NAMED = re.compile(
    r"(?:unread\.append\(|unread=\(|^ +yield |\(\*page\.unread, )f?\"([^\"<[]+)\"|"
    r"^_(?:LOWER_PART|DETAILS|STRUCK): Final = \"([^\"]+)\"|^STRUCK: Final = \"([^\"]+)\"",
    re.MULTILINE,
)
_FILES = ("word", "slides", "workbooks", "open_document", "beside_the_text", "image_file", "html")


def things_that_are_not_read() -> Iterator[str]:
    """Yield what the readers name, with a number or a name where they put one in."""
    for name in (*_FILES, "pdf", "with_pdfium", "remarks"):
        text = Path(extraction.__path__[0], f"{name}.py").read_text("utf-8")
        for found in _NAMED.finditer(text):
            yield next(filter(None, found.groups()))
    yield from (counted(count, kind) for kind in PARTS for count in (1, 7))
    text = Path(ingestion.__path__[0], "store_pages.py").read_text("utf-8")
    yield from (found[1] for found in _NAMED.finditer(text))


def filled(name: str) -> str:
    name = re.sub(r"\{counted\(\w+, '(\w+)'\)\}", r"3 \1s", name)
    name = name.replace("{' '.join(name.split()) or index + 1}", "plan.pdf")
    name = name.replace("{'deleted' if budgets.changes else 'inserted'}", "deleted")
    return re.sub(r"\{[^}]+\}", "3", name)


THINGS = sorted({filled(name) for name in things_that_are_not_read()})


def pages() -> list[Page]:
    """Return pages of a document that lacks something in each way there is."""
    text = Page(1, "words", PageOutcome.TEXT, f"text{GUESSED}cp1252", hidden_characters=3)
    scan = Page(2, "words", PageOutcome.OCR, "ocr", confidence=0.4, certainties=(None,))
    failed = [Page(n, "", PageOutcome.FAILED, "none", failure="X") for n in range(3, 20)]
    lacking = Page(
        20, "words", PageOutcome.TEXT, "text", unread=tuple(f"{n} charts" for n in range(12))
    )
    return [text, scan, *failed, lacking]


WARNINGS = [
    *warnings_of(pages()),
    *(in_another_language(code, model=MODEL) for code in languages.NAMES),
    *(in_other_letters(script, model=MODEL) for script in SCRIPTS),
    *(f"page 3: not read: {thing}" for thing in THINGS),
]


@pytest.mark.parametrize("warning", WARNINGS)
def test_each_warning_has_its_german_and_nothing_of_it_stays_english(warning: str) -> None:
    """Failed: the German console said "page 7: 420 hidden characters were left out"."""
    told = german.in_german(warning)

    words = {"the", "of", "read", "page", "pages", "and", "letters", "not", "that"}
    assert told != warning
    assert not words & set(re.findall(r"\w+", told.partition("`")[0].lower()))
    assert set(re.findall(r"\d+", warning)) - {"1"} <= set(re.findall(r"\d+", told))


@pytest.mark.parametrize(
    ("english", "told"),
    [
        (
            "ranked 7 of 40, its section may give 2, and better ones of it did",
            (
                "Platz 7 von 40, mehr als 2 von dort (Abschnitt) werden nicht genommen, und bessere"
                " waren es schon"
            ),
        ),
        ("ranked 3 of 9, gate 0.31, best 0.30", "Platz 3 von 9, Schwelle 0.31, bester Wert 0.30"),
        (
            "given to the answer as passage 2; none of 3 verified citations is of this page",
            "der Antwort als Stelle 2 gegeben; keiner der 3 geprüften Belege ist von dieser Seite",
        ),
        (
            (
                "indexed, but no leg brought it (read: vector 60); lost: vector_leg; left out: 4"
                " near-duplicates of what was found"
            ),
            (
                "durchsuchbar, aber keine Suche fand sie (gelesen: vector 60); ausgefallen:"
                " vector_leg; ausgelassen: 4, die fast dasselbe sagen wie Gefundenes"
            ),
        ),
    ],
)
def test_why_a_page_was_lost_is_told_in_german_with_its_numbers(english: str, told: str) -> None:
    """Failed: below "Andere waren besser." stood "ranked 7 of 40, place 9 in the end"."""
    assert german.in_german(english) == told


def test_every_explanation_that_has_german_is_given_and_every_one_that_is_given_has_it() -> None:
    """Fails when: one is reworded, or a new one is made, in one of the two languages alone."""
    rules = Path(rules_of_choice.__path__[0]).glob("*.py")
    source = "".join(path.read_text("utf-8") for path in (Path(str(explanation.__file__)), *rules))
    source = re.sub(r'"\n\s+f?"', "", source)
    for english, _ in german.EXPLANATIONS:
        fixed = re.split(r"\([^()]*\)|\\S\+|\\", english)
        assert max(fixed, key=len).strip("?") in source, english
    said = re.findall(r'(?:detail \+?= |return |reached or |or )f?"([a-z][^"]* [^"]*)"', source)
    filled = [re.sub(r"\{[^}]*\}", "3", text) for text in said]
    assert len(filled) > 15
    assert [text for text in filled if german.in_german(text) == text] == []


def test_the_readers_name_what_they_do_not_read() -> None:
    assert {"headers and footers", "struck text", "7 charts", "attachment plan.pdf"} <= set(THINGS)


def test_the_name_of_a_file_stays_as_it_is() -> None:
    told = german.in_german("page 1: not read: attachment comments")

    assert told == "Seite 1: nicht gelesen: Anhang comments"


def test_an_error_is_told_in_the_language_that_is_asked_for() -> None:
    error = FileEmpty("'a.txt' is empty")

    asked = problem_document(error, request_id="r", event=ASKED)
    other = problem_document(error, request_id="r", event={"headers": None})

    assert (asked["code"], asked["detail"]) == ("FILE_EMPTY", "Die Datei ist leer.")
    assert other["detail"] == "'a.txt' is empty"


def test_every_error_with_a_german_text_exists() -> None:
    assert german.ERRORS.keys() <= {error.code for error in branch(PulseDocsError)}


@pytest.mark.parametrize(
    ("accepted", "is_german"),
    [("de", True), ("de-AT,de;q=0.9,en;q=0.8", True), ("fr, de", True), ("en-GB, de;q=0.5", False)],
)
def test_the_language_that_is_named_first_is_spoken(accepted: str, *, is_german: bool) -> None:
    assert german.is_asked_for({"headers": {"accept-language": accepted}}) is is_german
    assert not german.is_asked_for({})
