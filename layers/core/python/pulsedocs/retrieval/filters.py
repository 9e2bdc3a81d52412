"""The filter language of the HTTP contract, parsed into a tree that SQL is compiled from.

Every clause is two-valued: a field that is absent, or holds a value of another type, makes a
comparison false. A list equals each of its members, so that tags are found by one of them; it is
neither more nor less than anything. `Not` therefore matches what lacks the field, so `$ne` and
`$nin` need no node of their own: they parse to `Not(Comparison(EQ))` and `Not(OneOf)`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, NoReturn, TypeAlias, cast
from unicodedata import normalize
from uuid import UUID

from pulsedocs.errors import InvalidRequest
from pulsedocs.model.days import day_of
from pulsedocs.model.documents import composed
from pulsedocs.model.shown import is_shown

_MAX_DEPTH = 8
_MAX_CLAUSES = 64
_MAX_VALUES = 1000  # in one $in: as many as a page of document ids that a client may hold
_MAX_FIELD = 128
_MAX_STRING = 1000

Value: TypeAlias = str | int | float | bool | UUID | date | datetime


class Operator(StrEnum):
    EQ = "$eq"
    GT = "$gt"
    GTE = "$gte"
    LT = "$lt"
    LTE = "$lte"
    CONTAINS = "$contains"


class Builtin(StrEnum):
    """Fields with a column of their own; every other field is a key of the metadata."""

    DOCUMENT_ID = "document_id"
    SOURCE = "source"
    TITLE = "title"
    CONTENT_TYPE = "content_type"
    CONTENT_DATE = "content_date"
    CREATED_AT = "created_at"


@dataclass(frozen=True, slots=True)
class Comparison:
    """`field` is a Builtin or the name of a metadata key.

    The value of DOCUMENT_ID is a UUID, of CONTENT_DATE a date, of CREATED_AT an aware datetime; of
    a metadata key a string, a number or, for EQ only, a boolean. CONTAINS is of strings, whatever
    their case.
    """

    field: Builtin | str
    operator: Operator
    value: Value


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field equals one of the values; at least one is given, and their types may differ."""

    field: Builtin | str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """The metadata has the key, whatever its value; a built-in field is not null."""

    field: Builtin | str


@dataclass(frozen=True, slots=True)
class All:
    clauses: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    clauses: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Not:
    clause: "Filter"


Filter: TypeAlias = Comparison | OneOf | Exists | All | AnyOf | Not


def parse_filter(value: Mapping[str, Any] | None) -> Filter | None:
    """Return the tree of a client's filter, or None where it restricts nothing.

    Raises InvalidRequest naming the operator, field or value that is wrong.
    """
    if not value:
        return None
    return _Parser().tree(value, depth=1)


class _Parser:
    def __init__(self) -> None:
        self._clauses = 0

    def tree(self, value: object, *, depth: int) -> Filter:
        if not isinstance(value, Mapping) or not value:
            _refuse("a filter is an object with at least one field or operator")
        if depth > _MAX_DEPTH:
            _refuse(f"filters nest at most {_MAX_DEPTH} deep")
        members = cast("Mapping[object, object]", value)
        return _all([self._member(key, item, depth=depth) for key, item in members.items()])

    def _member(self, key: object, value: object, *, depth: int) -> Filter:
        self._count()
        if key in {"$and", "$or"}:
            clauses = [self.tree(item, depth=depth + 1) for item in _items(str(key), value)]
            return _all(clauses) if key == "$and" else AnyOf(tuple(clauses))
        if key == "$not":
            return Not(self.tree(value, depth=depth + 1))
        field = _field(key)
        if not isinstance(value, Mapping):
            return _equal(field, value)
        conditions = cast("Mapping[object, object]", value)
        if not conditions:
            _refuse(f"the condition on {field!s:.128} is empty; use {{'$exists': true}}")
        return _all([self._condition(field, *item) for item in conditions.items()])

    def _condition(self, field: Builtin | str, operator: object, operand: object) -> Filter:
        self._count()
        name = str(operator)[:_MAX_FIELD]
        build = _CONDITIONS.get(name)
        if build is None:
            _refuse(f"unknown filter operator {name!r}")
        return build(field, operand)

    def _count(self) -> None:
        self._clauses += 1
        if self._clauses > _MAX_CLAUSES:
            _refuse(f"a filter has at most {_MAX_CLAUSES} clauses")


def _all(clauses: Sequence[Filter]) -> Filter:
    return clauses[0] if len(clauses) == 1 else All(tuple(clauses))


def _equal(field: Builtin | str, operand: object) -> Filter:
    value = _value(field, operand)
    forms = _forms(value)
    return OneOf(field, forms) if len(forms) > 1 else Comparison(field, Operator.EQ, value)


def _one_of(field: Builtin | str, operand: object) -> Filter:
    values = [_value(field, item) for item in _items(f"$in on {field}", operand)]
    return OneOf(field, tuple(form for value in values for form in _forms(value)))


def _forms(value: Value) -> tuple[Value, ...]:
    """Return what equals a value: of a text also as one or two characters for each "\u00e9"."""
    if not isinstance(value, str):
        return (value,)
    return tuple(dict.fromkeys((value, composed(value), normalize("NFD", value))))


def _contains(field: Builtin | str, operand: object) -> Filter:
    if field in _BUILTIN_VALUES and field is not Builtin.SOURCE:
        _refuse(f"$contains on {field} has no text to look in; it is for strings")
    if not isinstance(operand, str) or not operand:
        _refuse(f"$contains on {field} takes a string that is not empty")
    text = _text(field, operand)
    forms = tuple(Comparison(field, Operator.CONTAINS, form) for form in _forms(text))
    return forms[0] if len(forms) == 1 else AnyOf(forms)


def _exists(field: Builtin | str, operand: object) -> Filter:
    if not isinstance(operand, bool):
        _refuse(f"$exists on {field} takes true or false")
    return Exists(field) if operand else Not(Exists(field))


def _ordered(operator: Operator) -> Callable[[Builtin | str, object], Filter]:
    def build(field: Builtin | str, operand: object) -> Filter:
        value = _value(field, operand)
        if isinstance(value, bool | UUID):
            _refuse(f"{operator} on {field} needs a number, a string or a date")
        return Comparison(field, operator, value)

    return build


_CONDITIONS: Mapping[str, Callable[[Builtin | str, object], Filter]] = {
    "$eq": _equal,
    "$ne": lambda field, operand: Not(_equal(field, operand)),
    "$in": _one_of,
    "$nin": lambda field, operand: Not(_one_of(field, operand)),
    "$contains": _contains,
    "$exists": _exists,
    **{
        operator.value: _ordered(operator)
        for operator in (Operator.GT, Operator.GTE, Operator.LT, Operator.LTE)
    },
}


def _field(key: object) -> Builtin | str:
    if not isinstance(key, str) or not key or len(key) > _MAX_FIELD or not is_shown(key):
        _refuse(f"{str(key)[:_MAX_FIELD]!r} is not a field name")
    if key.startswith("$"):
        _refuse(f"unknown filter operator {key!r}")
    return Builtin(key) if key in set(Builtin) else key


def _items(name: str, value: object) -> Sequence[object]:
    items = cast("list[object]", value) if isinstance(value, list | tuple) else []
    if not 0 < len(items) <= _MAX_VALUES:
        _refuse(f"{name[:_MAX_FIELD]} takes a list of 1 to {_MAX_VALUES} values")
    return items


def _value(field: Builtin | str, value: object) -> Value:
    if isinstance(field, Builtin):
        text = _text(field, value)
        try:
            return _BUILTIN_VALUES.get(field, str)(text)
        except ValueError:
            _refuse(f"{text!r} is not a value of {field}")
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return _text(field, value)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_BUILTIN_VALUES: Mapping[Builtin, Callable[[str], Value]] = {
    Builtin.DOCUMENT_ID: UUID,
    Builtin.SOURCE: composed,
    Builtin.CONTENT_DATE: day_of,
    Builtin.CREATED_AT: _moment,
}


def _text(field: Builtin | str, value: object) -> str:
    """Refuse what PostgreSQL cannot store: NUL and lone surrogates equal no text there."""
    if not isinstance(value, str):
        others = "" if isinstance(field, Builtin) else ", a number or a boolean"
        _refuse(f"the value of {field} must be a string{others}")
    if len(value) > _MAX_STRING or any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
        _refuse(f"the value of {field} is too long or holds characters that no text has")
    return value


def _refuse(message: str) -> NoReturn:
    raise InvalidRequest(message)
