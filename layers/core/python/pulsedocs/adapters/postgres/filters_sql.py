"""Filters as SQL: text of ours with a placeholder for every byte of the client's.

Each clause is true or false, never null: `IS TRUE` makes an absent field a clause that does not
hold, so that NOT around it matches what lacks the field.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, Final
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from pulsedocs.retrieval.filters import (
    All,
    AnyOf,
    Builtin,
    Comparison,
    Exists,
    Filter,
    Not,
    OneOf,
    Operator,
    Value,
)

_OPERATORS: Final = {
    Operator.EQ: sql.SQL("="),
    Operator.GT: sql.SQL(">"),
    Operator.GTE: sql.SQL(">="),
    Operator.LT: sql.SQL("<"),
    Operator.LTE: sql.SQL("<="),
}
_COLUMNS: Final = {
    Builtin.DOCUMENT_ID: sql.SQL("document.document_id"),
    # The same order in every database, whatever its collation.
    Builtin.SOURCE: sql.SQL('document.source COLLATE "C"'),
    Builtin.TITLE: sql.SQL('coalesce(document.title, document.file_title) COLLATE "C"'),
    Builtin.CONTENT_TYPE: sql.SQL(
        # Without the charset that a text was sent with.
        "(SELECT split_part(filtered.content_type, ';', 1) FROM document_version AS filtered"
        " WHERE filtered.tenant_id = document.tenant_id"
        " AND filtered.document_id = document.document_id"
        ' AND filtered.version = document.published_version) COLLATE "C"'
    ),
    Builtin.CONTENT_DATE: sql.SQL("document.content_date"),
    Builtin.CREATED_AT: sql.SQL("document.created_at"),
}
_ARRAYS: Final = {
    Builtin.DOCUMENT_ID: sql.SQL("uuid[]"),
    Builtin.CONTENT_DATE: sql.SQL("date[]"),
    Builtin.CREATED_AT: sql.SQL("timestamptz[]"),
}
_IS_WITHIN: Final = sql.SQL(
    # "C" knows the case of English letters only.
    '((strpos(lower({left} COLLATE "default"), lower({right} COLLATE "default")) > 0) IS TRUE)'
)
_EVERYTHING: Final = sql.SQL("TRUE")
_AND: Final = sql.SQL(" AND ")
_OR: Final = sql.SQL(" OR ")


def wanted_documents(
    condition: Filter | None, document_ids: Sequence[UUID]
) -> tuple[sql.Composable, dict[str, Any]]:
    """Return a condition on rows of `document`, and its parameters by name.

    The statement it goes into must have a table or alias `document` with all columns.
    """
    compiler = _Compiler()
    clauses: list[sql.Composable] = []
    if document_ids:
        asked = compiler.bind(list(document_ids))
        clauses.append(sql.SQL("document.document_id = ANY({}::uuid[])").format(asked))
    if condition is not None:
        clauses.append(compiler.clause(condition))
    return _joined(_AND, clauses) if clauses else _EVERYTHING, compiler.parameters


class _Compiler:
    def __init__(self) -> None:
        self.parameters: dict[str, Any] = {}
        self._numbers = count()

    def bind(self, value: object) -> sql.Placeholder:
        name = f"filter_{next(self._numbers)}"
        self.parameters[name] = value
        return sql.Placeholder(name)

    def clause(self, node: Filter) -> sql.Composable:
        match node:
            case All(clauses):
                return _joined(_AND, [self.clause(item) for item in clauses])
            case AnyOf(clauses):
                return _joined(_OR, [self.clause(item) for item in clauses])
            case Not(inner):
                return sql.SQL("(NOT {})").format(self.clause(inner))
            case Exists(field):
                return sql.SQL("({} IS NOT NULL)").format(self._field(field))
            case OneOf(field, values):
                return self._one_of(field, values)
            case Comparison(field, operator, value):
                return self._comparison(field, operator, value)

    def _one_of(self, field: Builtin | str, values: Sequence[Value]) -> sql.Composable:
        if isinstance(field, Builtin):
            array = _ARRAYS.get(field, sql.SQL("text[]"))
            choices = self.bind(list(values))
            return sql.SQL("(({} = ANY({}::{})) IS TRUE)").format(_COLUMNS[field], choices, array)
        choices = self.bind([Jsonb(value) for value in values])
        return sql.SQL("(({} @> ANY({}::jsonb[])) IS TRUE)").format(self._field(field), choices)

    def _comparison(self, field: Builtin | str, operator: Operator, value: Value) -> sql.Composable:
        """Compare metadata within one JSON type; jsonb orders numbers by value, 1 equals 1.0.

        A list contains (`@>`) each scalar that is one of its members, and a scalar contains itself.
        """
        if isinstance(field, Builtin):
            return _compared(_COLUMNS[field], operator, self.bind(value))
        if operator is Operator.EQ:
            operand = sql.SQL("{}::jsonb").format(self.bind(Jsonb(value)))
            return sql.SQL("(({} @> {}) IS TRUE)").format(self._field(field), operand)
        if not isinstance(value, str):
            operand = sql.SQL("{}::jsonb").format(self.bind(Jsonb(value)))
            kind = sql.SQL("jsonb_typeof({})").format(operand)
            compared = _compared(self._field(field), operator, operand)
        else:
            kind = sql.SQL("'string'")
            text = sql.SQL("""({} #>> ARRAY[]::text[]) COLLATE "C" """)
            compared = _compared(text.format(self._field(field)), operator, self.bind(value))
        return sql.SQL("((jsonb_typeof({}) = {}) IS TRUE AND {})").format(
            self._field(field), kind, compared
        )

    def _field(self, field: Builtin | str) -> sql.Composable:
        """Give a field's column or JSON value; `a.b` is the key of that name, else b inside a."""
        if isinstance(field, Builtin):
            return _COLUMNS[field]
        key = sql.SQL("(document.metadata -> {}::text)").format(self.bind(field))
        if "." not in field:
            return key
        path = self.bind(field.split("."))
        return sql.SQL("coalesce({}, document.metadata #> {}::text[])").format(key, path)


def _compared(left: sql.Composable, operator: Operator, right: sql.Composable) -> sql.Composable:
    if operator is Operator.CONTAINS:
        return _IS_WITHIN.format(left=left, right=right)
    return sql.SQL("(({} {} {}) IS TRUE)").format(left, _OPERATORS[operator], right)


def _joined(word: sql.SQL, clauses: Sequence[sql.Composable]) -> sql.Composable:
    return sql.SQL("({})").format(word.join(clauses))
