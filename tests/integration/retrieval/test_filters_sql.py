"""A filter is SQL of ours and parameters of theirs, and means what the contract says."""

import json
import re
from datetime import date
from typing import Any
from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.library import Library, Paper, Passage, Shelf
from pulsedocs.adapters.postgres.filters_sql import wanted_documents
from pulsedocs.adapters.postgres.questions.retrieval import PostgresRetrievalStore
from pulsedocs.errors import InvalidRequest
from pulsedocs.retrieval.filters import parse_filter
from tests.integration.retrieval.asking import query_of, search_vector, texts

MODEL = "memory:small@3"
EAST = (1.0, 0.0, 0.0)
ANN = UUID("aaaaaaaa-0000-4000-8000-000000000001")
PAPERS: dict[str, dict[str, Any]] = {
    "ann": {
        "document_id": ANN,
        "source": "b.pdf",
        "title": "Bee",
        "content_date": date(2024, 5, 1),
        "metadata": {"user_id": "ann", "n": 10, "day": "2024-05-01", "is_standalone": True},
    },
    "bob": {
        "source": "a.txt",
        "content_type": "text/plain; charset=windows-1250",
        "title": "Cafe\u0301",
        "metadata": {
            "user_id": "bob",
            "n": 9.5,
            "day": "2023-12-31",
            "is_standalone": False,
            "city": "Z\u00fcrich",
        },
    },
    "cat": {
        "source": "c.pdf",
        "metadata": {
            "n": "10",
            "owner": {"team": "x"},
            "owner.team": "y",
            "none": None,
            "tags": ["hr", 7],
            "city": ["Zu\u0308rich"],
        },
    },
}
CASES: list[tuple[dict[str, Any], set[str]]] = [
    ({"user_id": "ann"}, {"ann"}),
    ({"user_id": {"$ne": "ann"}}, {"bob", "cat"}),
    ({"user_id": {"$in": ["ann", "bob", 3]}}, {"ann", "bob"}),
    ({"user_id": {"$nin": ["ann"]}}, {"bob", "cat"}),
    ({"user_id": {"$exists": False}}, {"cat"}),
    ({"none": {"$exists": True}}, {"cat"}),
    ({"source": {"$contains": "PDF"}}, {"ann", "cat"}),
    ({"source": {"$contains": "%"}}, set()),
    ({"title": {"$contains": "AF\u00c9"}}, {"bob"}),
    ({"city": {"$contains": "\u00fcRICH"}}, {"bob"}),
    ({"n": {"$contains": "1"}}, {"cat"}),
    ({"$not": {"title": {"$contains": "e"}}}, {"cat"}),
    ({"tags": "hr"}, {"cat"}),
    ({"tags": 7.0}, {"cat"}),
    ({"tags": "h"}, set()),
    ({"tags": {"$in": ["law", "hr"]}}, {"cat"}),
    ({"tags": {"$ne": "hr"}}, {"ann", "bob"}),
    ({"tags": {"$nin": ["hr"]}}, {"ann", "bob"}),
    ({"tags": {"$gt": "a"}}, set()),
    ({"owner": "x"}, set()),
    ({"city": "Z\u00fcrich"}, {"bob", "cat"}),
    ({"city": {"$ne": "Zu\u0308rich"}}, {"ann"}),
    ({"city": {"$in": ["Bern", "Zu\u0308rich"]}}, {"bob", "cat"}),
    ({"n": 10}, {"ann"}),
    ({"n": 10.0}, {"ann"}),
    ({"n": "10"}, {"cat"}),
    ({"n": {"$gt": 9.5}}, {"ann"}),
    ({"n": {"$gte": 9.5, "$lt": 10}}, {"bob"}),
    ({"n": {"$gt": "1"}}, {"cat"}),
    ({"$not": {"n": {"$gt": 9.5}}}, {"bob", "cat"}),
    ({"day": {"$gte": "2024-01-01"}}, {"ann"}),
    ({"is_standalone": True}, {"ann"}),
    ({"is_standalone": {"$ne": True}}, {"bob", "cat"}),
    ({"owner.team": "y"}, {"cat"}),
    ({"owner.team": "x"}, set()),
    ({"$or": [{"user_id": "bob"}, {"n": "10"}]}, {"bob", "cat"}),
    ({"$and": [{"user_id": "ann"}, {"n": {"$lt": 11}}]}, {"ann"}),
    ({"user_id": "ann", "is_standalone": False}, set()),
    ({"document_id": str(ANN)}, {"ann"}),
    ({"document_id": {"$in": [str(ANN), str(uuid4())]}}, {"ann"}),
    ({"source": {"$gt": "a.txt"}}, {"ann", "cat"}),
    ({"title": "Bee"}, {"ann"}),
    ({"title": "Caf\u00e9"}, {"bob"}),
    ({"title": {"$exists": False}}, {"cat"}),
    ({"title": {"$ne": "Bee"}}, {"bob", "cat"}),
    ({"content_type": "text/plain"}, {"bob"}),
    ({"content_type": {"$in": ["text/plain", "text/html"]}}, {"bob"}),
    ({"content_date": {"$lte": "2024-05-01"}}, {"ann"}),
    ({"created_at": {"$gt": "2020-01-01T00:00:00Z"}}, {"ann", "bob", "cat"}),
    ({"created_at": {"$lt": "2020-01-01"}}, set()),
]


def test_filters_hold_in_both_legs(library: Library, store: PostgresRetrievalStore) -> None:
    """S3-16, S3-22: each operator, on metadata and built-in fields, by meaning and by words."""
    shelf = library.shelf(MODEL)
    for name, facts in PAPERS.items():
        library.add(shelf, Paper([Passage(f"{name} word", EAST)], **facts))
    library.connection.execute("UPDATE document SET created_at = now()")
    library.connection.commit()

    for filters, names in CASES:
        by_vector = search_vector(store, shelf, EAST, filters=filters)
        by_words = texts(store.search(query_of(shelf, "word", filters=filters)))
        assert (
            sorted(by_vector) == sorted(by_words) == [f"{name} word" for name in sorted(names)]
        ), filters


def test_a_nested_key_is_reached_by_its_path(
    library: Library, store: PostgresRetrievalStore
) -> None:
    shelf = library.shelf(MODEL)
    library.add(shelf, Paper([Passage("a", EAST)], metadata={"owner": {"team": {"id": 7}}}))
    library.add(shelf, Paper([Passage("b", EAST)], metadata={"owner": "x"}))

    assert search_vector(store, shelf, EAST, filters={"owner.team.id": {"$gte": 7}}) == ["a"]


def test_user_id_isolates_within_a_tenant(library: Library, store: PostgresRetrievalStore) -> None:
    """S3-22: with a filter on user_id nothing of another user returns, in either leg."""
    shelf: Shelf = library.shelf(MODEL)
    for user in ("ann", "bob"):
        passages = [Passage(f"{user} {n} word", EAST) for n in range(20)]
        library.add(shelf, Paper(passages, metadata={"user_id": user}))

    found = store.search(query_of(shelf, "word", vector=EAST, limit=50, filters={"user_id": "ann"}))

    assert {candidate.metadata["user_id"] for candidate in found.candidates} == {"ann"}
    assert len(found.candidates) == 20


SCALARS = st.text(max_size=20) | st.integers() | st.floats(allow_nan=False) | st.booleans()
CONDITIONS = SCALARS | st.dictionaries(
    st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]), SCALARS, min_size=1, max_size=2
)
FILTERS = st.recursive(
    st.dictionaries(st.text(min_size=1, max_size=12), CONDITIONS, min_size=1, max_size=3),
    lambda inner: (
        st.fixed_dictionaries({"$not": inner})
        | st.fixed_dictionaries({"$or": st.lists(inner, min_size=1, max_size=3)})
    ),
    max_leaves=4,
)
OURS = re.compile(
    r"%\(filter_\d+\)s|::\w+(\[\])?|document\.metadata|jsonb_typeof|#>>?|->|COLLATE \"C\""
    r"|ARRAY\[\]::text\[\]|'string'|coalesce|IS TRUE|IS NOT NULL|AND|ANY|OR|NOT|TRUE|[<>=@(), ]"
)


@given(FILTERS)
def test_no_byte_of_a_filter_enters_the_statement(filters: dict[str, Any]) -> None:
    """What is left of the text, once our own words are gone, is nothing."""
    try:
        parsed = parse_filter(json.loads(json.dumps(filters)))
    except InvalidRequest:
        return
    condition, parameters = wanted_documents(parsed, [])

    text = condition.as_string(None)

    assert OURS.sub("", text) == ""
    assert set(re.findall(r"%\((\w+)\)s", text)) == set(parameters)
