"""A client's filter becomes a tree of known fields and operators, or a refusal naming the fault."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pulsedocs.errors import InvalidRequest
from pulsedocs.retrieval.filters import (
    All,
    AnyOf,
    Builtin,
    Comparison,
    Exists,
    Not,
    OneOf,
    Operator,
    parse_filter,
)


def test_the_reference_has_every_operator_and_field() -> None:
    reference = Path(__file__).parents[3] / "docs/reference/filters.md"
    connectives = {"$and", "$or", "$not", "$ne", "$in", "$nin", "$exists"}

    named = set(re.findall(r"[`\"](\$?\w+)[`\"]", reference.read_text()))

    assert {*Operator, *Builtin, *connectives} <= named
    assert {name for name in named if name.startswith("$")} == {*Operator, *connectives}


def test_no_filter_restricts_nothing() -> None:
    assert parse_filter(None) is None
    assert parse_filter({}) is None


def test_a_bare_value_means_equality_and_several_fields_mean_all_of_them() -> None:
    assert parse_filter({"team": "red", "year": 2024}) == All(
        (Comparison("team", Operator.EQ, "red"), Comparison("year", Operator.EQ, 2024))
    )


@pytest.mark.parametrize(
    "name", ["n\u00b0\u00a0de dossier", "\u0645\u06cc\u200c\u0631\u0648\u062f"]
)
def test_a_field_may_have_any_blank_and_joiner(name: str) -> None:
    assert parse_filter({name: 1}) == Comparison(name, Operator.EQ, 1)


def test_negative_operators_are_the_negation_of_positive_ones() -> None:
    assert parse_filter({"a": {"$ne": 1}}) == Not(Comparison("a", Operator.EQ, 1))
    assert parse_filter({"a": {"$nin": [1, "x"]}}) == Not(OneOf("a", (1, "x")))
    assert parse_filter({"a": {"$exists": False}}) == Not(Exists("a"))


def test_connectives_nest() -> None:
    parsed = parse_filter({"$or": [{"a": 1}, {"$not": {"b": {"$gte": 2, "$lt": 5}}}]})

    low, high = Comparison("b", Operator.GTE, 2), Comparison("b", Operator.LT, 5)
    assert parsed == AnyOf((Comparison("a", Operator.EQ, 1), Not(All((low, high)))))


def test_builtin_fields_take_typed_values() -> None:
    identifier = UUID(int=7)
    parsed = parse_filter(
        {
            "document_id": str(identifier),
            "content_date": {"$gt": "2024-02-29"},
            "created_at": {"$lte": "2024-02-29T10:00:00"},
        }
    )

    assert parsed == All(
        (
            Comparison(Builtin.DOCUMENT_ID, Operator.EQ, identifier),
            Comparison(Builtin.CONTENT_DATE, Operator.GT, date(2024, 2, 29)),
            Comparison(Builtin.CREATED_AT, Operator.LTE, datetime(2024, 2, 29, 10, tzinfo=UTC)),
        )
    )


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"a": {"$regex": "x"}}, "$regex"),
        ({"$where": "1"}, "$where"),
        ({"a": {"x": 1}}, "'x'"),
        ({"": 1}, "field name"),
        ({"a\n": 1}, "field name"),
        ({"a": None}, "the value of a"),
        ({"a": float("nan")}, "the value of a"),
        ({"a": "nul\0"}, "the value of a"),
        ({"a": "\ud800"}, "the value of a"),
        ({"a": {"$gt": True}}, "$gt"),
        ({"a": {"$in": []}}, "$in"),
        ({"a": {"$in": "abc"}}, "$in"),
        ({"a": {"$exists": 1}}, "$exists"),
        ({"a": {"$contains": 1}}, "$contains"),
        ({"a": {"$contains": ""}}, "$contains"),
        ({"created_at": {"$contains": "2024"}}, "$contains"),
        ({"a": {}}, "empty"),
        ({"$and": []}, "$and"),
        ({"$not": []}, "object"),
        ({"$or": [1]}, "object"),
        ({"document_id": "not-a-uuid"}, "document_id"),
        ({"content_date": {"$gt": "31.12.2024"}}, "content_date"),
        ({"content_date": "20241231"}, "content_date"),
        ({"content_date": {"$in": ["2024-W52-2"]}}, "content_date"),
        ({"document_id": {"$gt": str(UUID(int=1))}}, "document_id"),
        ({"created_at": 1_700_000_000}, "created_at must be a string"),
    ],
)
def test_what_the_language_lacks_is_refused_by_name(value: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_filter(value)

    assert named in refused.value.message


def test_a_number_is_not_offered_where_only_a_string_will_do() -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_filter({"content_date": {"$gt": 2024}})

    assert "number" not in refused.value.message


def test_depth_and_size_are_bounded() -> None:
    deep: dict[str, Any] = {"a": 1}
    for _ in range(20):
        deep = {"$not": deep}
    wide = {f"field{number}": number for number in range(100)}

    for hostile in (deep, wide, {"a": {"$in": list(range(2000))}}):
        with pytest.raises(InvalidRequest):
            parse_filter(hostile)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$and", "$or", "$not", "$in", "$gt", "$exists", "a", "source", "$x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


# Shared machines draw slowly; how fast data is made says nothing about the parser.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["$and", "$or", "$not", "a", "created_at"]), _JSON))
def test_any_json_parses_or_is_refused_and_nothing_else(value: dict[str, Any]) -> None:
    with suppress(InvalidRequest):
        parse_filter(value)
