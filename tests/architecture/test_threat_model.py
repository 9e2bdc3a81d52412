"""The threat model names tests that exist, for every threat and for every way across tenants."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "concepts" / "threat-model.md"
ESCAPES = 36
"""The ways from one tenant to another that the product was designed against."""
_NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")
_REASON = re.compile(r"^-: \w.{20,}")


def rows() -> list[list[str]]:
    """Return the cells of every row of every table, without the two lines that begin one."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"
    ]
    return [row for row in cells if row[-1] not in {"shown by", "---"}]


@cache
def names_in(file: str) -> frozenset[str]:
    path = ROOT / "tests" / file
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


NAMED = sorted(set(_NAMED.findall(PAGE.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(("file", "test"), NAMED, ids="::".join)
def test_a_named_test_exists(file: str, test: str) -> None:
    assert test in names_in(file)


def test_every_threat_has_a_control_and_a_test_or_a_reason() -> None:
    def is_shown(row: list[str]) -> bool:
        return bool(row[1] and (_NAMED.search(row[-1]) or _REASON.match(row[-1])))

    assert [row for row in rows() if not is_shown(row)] == []
    assert len(rows()) >= ESCAPES + 30


def test_every_way_from_one_tenant_to_another_is_there_once() -> None:
    numbers = [int(row[0]) for row in rows() if row[0].isdigit()]

    assert numbers == list(range(1, ESCAPES + 1))


def test_a_cell_that_shows_something_names_nothing_else() -> None:
    """A test that is not written as one, or misspelt, would not be looked for."""
    for row in rows():
        rest = _NAMED.sub("", row[-1]).replace(",", "").strip()
        assert rest == "" or _REASON.match(rest), row


def test_most_suites_against_strangers_are_named() -> None:
    named = {file.partition("/")[0] for file, _ in NAMED}

    assert {"hostile", "injection", "functions", "integration", "e2e", "infra"} <= named
