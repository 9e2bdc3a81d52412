"""What a document is about, what it is called, who issued it and when: quoted from where it stands.

One may ask it of one document; of several it has to be said which is meant.
"""

from collections.abc import Iterator

import pytest

from local.stage import Stage
from tests.e2e.pdfs import pages_of_lines
from tests.e2e.tenant import PDF, Json, Tenant

REPORT = (
    (
        "Bees on City Roofs",
        "Third edition, published by the Orlea Garden Society",
        "12 May 2023",
        "This report describes how forty hives on the roofs of Orlea came through three winters.",
        "It replaces the report of 4 June 2019.",
        "Two of the hives stood on the town hall and were looked after by its porters.",
    ),
    ("Losses", "Eleven hives were lost to mites, most of them in the second winter."),
    ("Honey", "The hives gave 912 kilograms of honey, which was sold at the harvest market."),
)
BERICHT = (
    (
        "Bienen auf den D\u00e4chern",
        "Herausgegeben von der Gartenfreunde Orlea",
        "Stand: Mai 2023",
        "Dieser Bericht beschreibt, wie vierzig V\u00f6lker in Orlea drei Winter \u00fcberstanden.",
    ),
    ("Verluste", "Elf V\u00f6lker gingen an Milben verloren, die meisten im zweiten Winter."),
)

MAIL = b"""From: Maria Lind <maria@orlea.example>
To: Tom Becker <tom@becker.example>
Cc: board@orlea.example
Date: Mon, 03 Nov 2025 09:12:00 +0100
Subject: Roof of the boathouse
Content-Type: text/plain; charset=utf-8

Dear Tom, the roofers come on 12 November and stay for four days. Who drives the crane is open.
"""


@pytest.fixture(scope="module")
def society(stage: Stage) -> Iterator[Tenant]:
    with Tenant.new(stage) as tenant:
        yield tenant


@pytest.fixture(scope="module")
def files(society: Tenant) -> dict[str, str]:
    """Return the ids of the reports by language."""
    sent = {
        name: society.upload(pages_of_lines(pages), filename=f"bees-{name}.pdf", content_type=PDF)
        for name, pages in {"en": REPORT, "de": BERICHT}.items()
    }
    sent["mail"] = society.upload(MAIL, filename="roof.eml", content_type="message/rfc822")
    for document_id in sent.values():
        assert society.outcome(document_id)["outcome"] == "PUBLISHED"
    return sent


def ask(tenant: Tenant, question: str, *documents: str) -> Json:
    return tenant.post("/ask", {"question": question, "document_ids": list(documents)})


@pytest.mark.parametrize(
    ("language", "question", "title", "first"),
    [
        ("en", "What is this document about?", "Bees on City Roofs", "This report describes"),
        ("en", "summarise this report please", "Bees on City Roofs", "This report describes"),
        ("de", "Worum geht es in diesem Dokument?", "Bienen auf den D", "Dieser Bericht beschr"),
    ],
)
def test_what_it_is_about_is_quoted_from_its_beginning(
    society: Tenant, files: dict[str, str], language: str, question: str, title: str, first: str
) -> None:
    answer = ask(society, question, files[language])

    assert answer["answer"].startswith(title), answer["abstained"]
    assert first in answer["answer"]
    assert answer["note"]["kind"] == "overview"
    assert {one["page"] for one in answer["citations"][:2]} == {1}
    for cited in answer["citations"]:
        page = society.get(f"/documents/{files[language]}/pages/{cited['page']}")
        assert page["text"][cited["start"] : cited["end"]] == cited["quote"]


@pytest.mark.parametrize(
    ("language", "question", "says"),
    [
        ("en", "What is the title of this document?", "Bees on City Roofs"),
        ("en", "When was this report published?", "12 May 2023"),
        ("en", "Who published this report?", "published by the Orlea Garden Society"),
        ("en", "Which edition is this report?", "Third edition"),
        ("de", "Wer hat diesen Bericht herausgegeben?", "Herausgegeben von der Gartenfreunde"),
        ("de", "Von wann ist dieses Dokument?", "Stand: Mai 2023"),
    ],
)
def test_who_issued_it_and_when_is_quoted_from_its_first_page(
    society: Tenant, files: dict[str, str], language: str, question: str, says: str
) -> None:
    answer = ask(society, question, files[language])

    assert says in answer["answer"], answer["abstained"]
    assert "2019" not in answer["answer"]  # of the report that it replaces
    assert [one["page"] for one in answer["citations"]] == [1]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Who wrote this e-mail?", "From: Maria Lind \u2039maria@orlea.example\u203a"),
        ("Von wem ist diese Nachricht?", "From: Maria Lind"),
        ("Who was the mail sent to?", "To: Tom Becker \u2039tom@becker.example\u203a"),
        ("An wen ging die Mail?", "To: Tom Becker"),
        ("When was the message sent?", "Date: Mon, 03 Nov 2025"),
        ("What is the subject of this email?", "Roof of the boathouse"),
    ],
)
def test_of_a_mail_its_head_says_who_wrote_to_whom_and_when(
    society: Tenant, files: dict[str, str], question: str, says: str
) -> None:
    answer = ask(society, question, files["mail"])

    assert answer["answer"].startswith(says), answer["abstained"]
    assert answer["citations"][0]["quote"].startswith(says.partition(" \u2039")[0])


def test_what_it_does_not_say_of_itself_is_refused(society: Tenant, files: dict[str, str]) -> None:
    answer = ask(society, "Welche Ausgabe ist dieser Bericht?", files["de"])

    assert answer["citations"] == []
    assert answer["abstained"]["reason"] == "NO_ANSWER_IN_CONTEXT"


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What is this document about?", "2 are searched"),
        ("Summarise the report.", "2 are searched"),
        ("Worum geht es in diesem Bericht?", "Bitte eines ausw\u00e4hlen."),
        ("De quoi parle ce document ?", "veuillez en choisir un."),
    ],
)
def test_of_several_documents_it_has_to_be_said_which(
    society: Tenant, files: dict[str, str], question: str, says: str
) -> None:
    answer = ask(society, question, files["en"], files["de"])

    assert answer["abstained"]["reason"] == "WHICH_DOCUMENT"
    assert says in answer["abstained"]["message"]
    assert "2 are searched" in answer["abstained"]["detail"]
    why = society.get(f"/traces/{answer['trace_id']}/why", document_id=files["en"], page=1)
    assert why["stage"] == "not_searched"
