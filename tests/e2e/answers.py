"""What the tests of answers share: to ask, and to hold what is said against the pages."""

import re

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
        place = f"/documents/{citation['document_id']}/pages/{citation['page']}"
        page = reader.get(f"{place}?version={citation['version']}")
        assert page["text"][citation["start"] : citation["end"]] == citation["quote"]
    shown = re.findall(r"\[([1-9][0-9]*)\]", answer["answer"])
    cited = {(at, each["n"]) for each in answer["citations"] for at in each["markers"]}
    assert cited == set(enumerate(map(int, shown)))


def assert_says(answered: Json, expected: str | None) -> None:
    if expected is None:
        assert answered["abstained"] is not None, answered["answer"]
    else:
        assert expected in words_of(answered["answer"]), answered["abstained"]
