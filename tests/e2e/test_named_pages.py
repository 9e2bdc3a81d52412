"""A question that names a page of the one document asked is answered from that page, or refused."""

import io
from collections.abc import Iterator, Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from local.stage import Stage
from tests.e2e.tenant import PDF, Json, Tenant

ENGLISH = (
    "The harbour master issued these rules on 4 March 2021.",
    "These rules were revised on 9 May 2022. The editor was Ann Lidell.",
    "A mooring of the inner basin costs 310 euros a year.",
    "A mooring of the outer basin costs 190 euros a year.",
)
GERMAN = (
    "Der Hafenmeister hat die Ordnung am 4. M\u00e4rz 2021 erlassen.",
    "Die Ordnung wurde am 9. Mai 2022 nach dem Sturm ge\u00e4ndert.",
    "Ein Liegeplatz im inneren Becken kostet 310 Euro im Jahr.",
    "Ein Liegeplatz im \u00e4u\u00dferen Becken kostet 190 Euro im Jahr.",
)
SPANISH = (
    "El capit\u00e1n firm\u00f3 el reglamento el 4 de marzo de 2021.",
    "El reglamento fue revisado el 9 de mayo de 2022 tras la tormenta.",
    "Un amarre en la d\u00e1rsena interior cuesta 310 euros al a\u00f1o.",
    "Un amarre en la d\u00e1rsena exterior cuesta 190 euros al a\u00f1o.",
)


def rules(pages: Sequence[str]) -> bytes:
    """Set two pages that are numbered i and ii, and two that are numbered from 1."""
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
    canvas.addPageLabel(2, style="ARABIC", start=1)
    for text in pages:
        canvas.setFont("Times-Roman", 11)
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


@pytest.fixture(scope="module")
def harbour(stage: Stage) -> Iterator[Tenant]:
    with Tenant.new(stage) as tenant:
        yield tenant


@pytest.fixture(scope="module")
def files(harbour: Tenant) -> dict[str, str]:
    """Return the ids of the rules by language."""
    texts = {"en": ENGLISH, "de": GERMAN, "es": SPANISH}
    sent = {
        name: harbour.upload(rules(pages), filename=f"rules-{name}.pdf", content_type=PDF)
        for name, pages in texts.items()
    }
    for document_id in sent.values():
        assert harbour.outcome(document_id)["outcome"] == "PUBLISHED"
    return sent


def ask(tenant: Tenant, question: str, *documents: str) -> Json:
    return tenant.post("/ask", {"question": question, "document_ids": list(documents)})


@pytest.mark.parametrize(
    ("language", "question", "says", "page", "label"),
    [
        ("en", "How much does a mooring of a basin cost a year on page 2?", "190", 4, "2"),
        ("en", "How much does a mooring of a basin cost a year on page 1?", "310", 3, "1"),
        ("en", "Who was the editor on page ii?", "Ann Lidell", 2, "ii"),
        (
            "en",
            "When were these rules revised according to the second page?",
            "9 May 2022",
            2,
            "ii",
        ),
        ("de", "Wie viel kostet ein Liegeplatz auf der letzten Seite?", "190", 4, "2"),
        ("de", "Wie viel kostet ein Liegeplatz auf Seite 1?", "310", 3, "1"),
        ("es", "\u00bfCu\u00e1nto cuesta un amarre en la p\u00e1gina 2?", "190", 4, "2"),
    ],
)
def test_the_page_that_is_named_answers(
    harbour: Tenant,
    files: dict[str, str],
    language: str,
    question: str,
    says: str,
    page: int,
    label: str,
) -> None:
    answer = ask(harbour, question, files[language])

    assert says in answer["answer"], answer["abstained"]
    [citation] = answer["citations"]
    assert (citation["page"], citation["page_label"]) == (page, label)
    trace = harbour.get(f"/traces/{answer['trace_id']}")
    assert trace["evidence"]["asked_pages"][0] == page
    assert all("page" in one["legs"] for one in trace["candidates"])


def test_a_sentence_of_another_page_does_not_answer(harbour: Tenant, files: dict[str, str]) -> None:
    answer = ask(harbour, "How much does a mooring cost on the first page?", files["en"])

    assert answer["abstained"]["reason"] == "NO_ANSWER_IN_CONTEXT"
    assert answer["citations"] == []


@pytest.mark.parametrize(
    ("language", "question", "says"),
    [
        ("en", "What does page 7 say about moorings?", "The document has 4 pages"),
        (
            "de",
            "Was steht auf Seite 7 \u00fcber die Liegepl\u00e4tze?",
            "Die genannte Seite hat das Dokument nicht.",
        ),
    ],
)
def test_a_page_that_is_not_there_is_refused(
    harbour: Tenant, files: dict[str, str], language: str, question: str, says: str
) -> None:
    answer = ask(harbour, question, files[language])

    assert answer["abstained"]["reason"] == "NO_SUCH_PAGE"
    assert says in answer["abstained"]["message"]


def test_with_several_documents_every_page_is_searched(
    harbour: Tenant, files: dict[str, str]
) -> None:
    question = "How much does a mooring cost on page 7?"

    answer = ask(harbour, question, files["en"], files["de"])

    reason = answer["abstained"] and answer["abstained"]["reason"]
    assert reason != "NO_SUCH_PAGE"
    trace = harbour.get(f"/traces/{answer['trace_id']}")
    assert trace["evidence"]["asked_pages"] == []
    assert trace["candidates"]
