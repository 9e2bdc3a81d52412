"""What the tests of answers share: to ask, and to hold what is said against the pages."""

from tests.e2e.tenant import Json, Tenant


def ask(reader: Tenant, question: str, **options: object) -> Json:
    return reader.post("/ask", {"question": question} | options)


def words_of(text: str) -> str:
    """Return a text on one line, for quotes that cross line ends."""
    return " ".join(text.split())


def pages_of(reader: Tenant, citations: list[Json]) -> str:
    places = dict.fromkeys((each["document_id"], each["page"]) for each in citations)
    texts = (reader.get(f"/documents/{document}/pages/{page}")["text"] for document, page in places)
    return words_of(" ".join(texts))


def assert_cited(reader: Tenant, answer: Json) -> None:
    assert answer["citations"]
    for citation in answer["citations"]:
        page = reader.get(f"/documents/{citation['document_id']}/pages/{citation['page']}")
        assert page["text"][citation["start"] : citation["end"]] == citation["quote"]
        assert f"[{citation['n']}]" in answer["answer"]


def assert_says(answered: Json, expected: str | None) -> None:
    if expected is None:
        assert answered["abstained"] is not None, answered["answer"]
    else:
        assert expected in words_of(answered["answer"]), answered["abstained"]
