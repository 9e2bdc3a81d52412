"""An evaluation from a file to tables: what is sent, waited for, printed, and refused by line."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from click.testing import CliRunner, Result

from pulsedocs.client import PulseDocs
from pulsedocs_cli.__main__ import main
from tests.unit.client.test_transport import (
    Script,
    docs,  # noqa: F401 # pyright: ignore[reportUnusedImport] -- a fixture
    url,  # noqa: F401 # pyright: ignore[reportUnusedImport] -- a fixture
)

EVALUATION = str(UUID(int=7))
LABELLED = Path(__file__).parents[3] / "evaluation/questions/labelled.jsonl"
RENT = {
    "question": "When is the rent due?",
    "expected": [{"source": "lease.pdf", "page": 2, "quote": "The rent is due"}],
}
DRAGON = {"question": "Which dragon guards the vault?", "answerable": False}
ABSTENTION = {
    "precision": 0.75,
    "recall": None,
    "refused": 4,
    "unanswerable": 0,
    "refused_rightly": 3,
}


def measured(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean, "high": mean, "questions": 2}


FIGURES: dict[str, Any] = {
    "profile": "default",
    "revision": 3,
    "stages": {
        "fused": {"recall@5": measured(0.5), "ndcg@10": measured(0.25)},
        "reranked": {"recall@5": measured(1), "ndcg@10": measured(0.75), "page@1": measured(1)},
    },
    "abstention": ABSTENTION,
    "questions": 2,
    "degraded": {},
}


def record(state: str, **changes: Any) -> dict[str, Any]:
    return {
        "evaluation_id": EVALUATION,
        "state": state,
        "collection": "default",
        "questions": 2,
        "profiles": {"default": None},
        "corpus": None,
        "complete": False,
        "error": None,
    } | changes


def done(**changes: Any) -> dict[str, Any]:
    return record("DONE", **({"profiles": {"default": FIGURES}, "complete": True} | changes))


def scripted(*records: dict[str, Any]) -> None:
    bodies: list[dict[str, Any]] = [{"evaluation_id": EVALUATION}, *records]
    Script.answers = [(200, json.dumps(body).encode(), "") for body in bodies]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path, json.dumps(RENT), "", json.dumps(DRAGON), "")


def written(folder: Path, *lines: str) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def command(url: str, file: Path, *options: str) -> Result:  # noqa: F811 -- the fixture's value
    environment = {"NO_PROXY": "127.0.0.1"}
    arguments = ["evaluate", str(file), "--url", url, "--token", "token", *options]
    return CliRunner().invoke(main, arguments, env=environment)


def test_the_client_asks_once_and_looks_until_it_has_ended(docs: PulseDocs) -> None:  # noqa: F811 -- the fixture
    scripted(record("QUEUED"), record("RUNNING"), done())
    heard: list[str] = []

    found = docs.evaluate(
        [RENT, DRAGON],
        collection="leases",
        profiles=["default", "fast"],
        on_progress=lambda now: heard.append(now["state"]),
    )

    assert found == done()
    assert heard == ["QUEUED", "RUNNING", "DONE"]
    (first, body), *looks = Script.requests
    assert first == "POST /evaluations"
    assert json.loads(body) == {
        "collection": "leases",
        "questions": [RENT, DRAGON],
        "profiles": ["default", "fast"],
    }
    assert {path for path, _ in looks} == {f"GET /evaluations/{EVALUATION}"}


def test_an_evaluation_that_does_not_end_is_named(docs: PulseDocs) -> None:  # noqa: F811 -- the fixture
    scripted(*[record("RUNNING")] * 100)

    with pytest.raises(TimeoutError, match=EVALUATION):
        docs.evaluate([RENT], timeout=0.2)


def test_each_profile_is_a_table_of_stages(url: str, file: Path) -> None:  # noqa: F811 -- the fixture
    scripted(record("RUNNING"), done())

    recall = "recall - (3 of 0 due were made)"

    result = command(url, file, "--profile", "default")

    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "2 questions on collection 'default'",
        "",
        "default (revision 3), asked 2 of 2 questions",
        "  stage        recall@5    ndcg@10     page@1",
        "  fused           0.500      0.250          -",
        "  reranked        1.000      0.750      1.000",
        f"  refused by the search: precision 0.750 (3 of 4 refusals were due), {recall}",
    ]
    assert json.loads(Script.requests[0][1])["questions"] == [RENT, DRAGON | {"expected": []}]


def test_progress_is_said_apart_and_once_for_each_step(url: str, file: Path) -> None:  # noqa: F811 -- the fixture
    scripted(record("QUEUED"), record("RUNNING"), record("RUNNING"), done())

    result = command(url, file, "--json")

    assert json.loads(result.stdout) == done()
    assert result.stderr.splitlines() == [
        f"evaluation {EVALUATION}: QUEUED, 0 of 1 profiles done",
        f"evaluation {EVALUATION}: RUNNING, 0 of 1 profiles done",
        f"evaluation {EVALUATION}: DONE, 1 of 1 profiles done",
    ]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_failed_evaluation_says_why_and_exits_with_1(
    url: str,  # noqa: F811 -- the fixture
    file: Path,
    options: list[str],
) -> None:
    error = {"code": "PROVIDER_QUOTA_EXHAUSTED", "message": "no credit is left"}
    scripted(record("FAILED", error=error))

    result = command(url, file, *options)

    assert result.exit_code == 1
    assert "PROVIDER_QUOTA_EXHAUSTED" in result.stdout
    assert "no credit is left" in result.stdout


def test_what_the_time_did_not_suffice_for_is_said(url: str, file: Path) -> None:  # noqa: F811 -- the fixture
    fewer = FIGURES | {"questions": 1, "stages": {}, "degraded": {"reranker": 1}}
    scripted(done(profiles={"default": fewer, "fast": None}, complete=False))

    result = command(url, file)

    assert result.exit_code == 0, result.output
    assert "asked 1 of 2 questions" in result.stdout
    assert "no question has an answer to be found" in result.stdout
    assert "degraded: reranker was missing for 1 question\n" in result.stdout
    assert "fast: no question was asked" in result.stdout
    assert "The time ran out" in result.stdout


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 3: Invalid JSON"),
        ("[1]", "line 3: must be an object"),
        ('{"question": "a", "expected": [{"page": 1}]}', "line 3: expected[0].source: is missing"),
        ('{"question": "a", "answerable": true}', "line 3: a question is answerable"),
        ('{"question": "a", "kind": "absurd"}', "line 3: kind: is not known here"),
        ('{"expected": []}', "line 3: question: is missing"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_sent(
    url: str,  # noqa: F811 -- the fixture
    tmp_path: Path,
    line: str,
    told: str,
) -> None:
    result = command(url, written(tmp_path, json.dumps(RENT), "", line))

    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())
    assert Script.requests == []


@pytest.mark.parametrize("body", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_a_file_without_questions_is_refused(url: str, tmp_path: Path, body: bytes) -> None:  # noqa: F811 -- the fixture
    path = tmp_path / "none.jsonl"
    path.write_bytes(body)

    result = command(url, path)

    assert result.exit_code == 2
    assert "none.jsonl has no question" in result.stderr


def test_a_file_in_another_encoding_is_refused_by_line(url: str, tmp_path: Path) -> None:  # noqa: F811 -- the fixture
    path = tmp_path / "latin.jsonl"
    path.write_bytes(
        json.dumps(RENT).encode() + '\n{"question": "Miete fällig?"}'.encode("latin-1")
    )

    result = command(url, path)

    assert result.exit_code == 2
    assert "latin.jsonl, line 2: Invalid JSON" in result.stderr


def test_the_projects_own_questions_are_such_a_file(url: str) -> None:  # noqa: F811 -- the fixture
    scripted(done())

    assert command(url, LABELLED).exit_code == 0
    assert len(json.loads(Script.requests[0][1])["questions"]) == 104
