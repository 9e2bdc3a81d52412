"""What is asked of a document as such is told from what is asked of what it says."""

import pytest

from pulsedocs.answering.asked.document import Aspect, asked_of_document, is_of_any_one


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("What is this document about?", Aspect.OVERVIEW),
        ("what is this about?", Aspect.OVERVIEW),
        ("tl;dr", Aspect.OVERVIEW),
        ("summary", Aspect.OVERVIEW),
        ("Give me a short summary, please", Aspect.OVERVIEW),
        ("Zusammenfassung", Aspect.OVERVIEW),
        ("what's this file about", Aspect.OVERVIEW),
        ("Can you please summarise the annual report?", Aspect.OVERVIEW),
        ("Give me a short summary of this paper.", Aspect.OVERVIEW),
        ("Worum geht es hier?", Aspect.OVERVIEW),
        ("Fassen Sie das Dokument bitte kurz zusammen.", Aspect.OVERVIEW),
        ("De quoi parle ce document ?", Aspect.OVERVIEW),
        ("\u00bfDe qu\u00e9 trata este documento?", Aspect.OVERVIEW),
        ("Di cosa parla questo documento?", Aspect.OVERVIEW),
        ("What is the title of the document?", Aspect.TITLE),
        ("Wie lautet der Titel des Dokuments?", Aspect.TITLE),
        ("Who wrote this report?", Aspect.AUTHOR),
        ("Wer hat diesen Bericht verfasst?", Aspect.AUTHOR),
        ("When was this paper published?", Aspect.DATE),
        ("What is the date of the document? Format your answer as YYYY-MM-DD.", Aspect.DATE),
        ("Which version is this manual?", Aspect.EDITION),
    ],
)
def test_a_document_is_asked_about_as_such(question: str, aspect: Aspect) -> None:
    assert asked_of_document(question) is aspect


@pytest.mark.parametrize(
    "question",
    [
        "What does the contract say about dogs?",
        "What is the configuration file called?",
        "What is the end date of the contract?",
        "What is the name of the tenant?",
        "Who wrote the letter to the council?",
        "What is the booking about?",
        "Summary of the complaints",
        "When was the pump last revised?",
        "Who produced the document that was revised in May 2016?",
    ],
)
def test_what_a_document_says_is_searched_for(question: str) -> None:
    assert asked_of_document(question) is None


@pytest.mark.parametrize(
    "question", ["What is the report about?", "What is the title of this document?"]
)
def test_only_a_choice_tells_which_document_is_meant(question: str) -> None:
    assert is_of_any_one(question)


@pytest.mark.parametrize("question", ["Who wrote this document?", "When is the rent due?"])
def test_what_one_file_of_many_may_say_is_searched_for(question: str) -> None:
    assert not is_of_any_one(question)
