"""`pulsedocs smoke` on a whole stage: it works, it says what does not, it leaves nothing behind."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from click.testing import CliRunner, Result

from local.stage import Stage
from pulsedocs.client import PulseDocs
from pulsedocs.scopes import READ
from pulsedocs_cli import smoke
from pulsedocs_cli.__main__ import main


def run(stage: Stage, folder: Path, monkeypatch: pytest.MonkeyPatch, token: str) -> Result:
    """Run the command where `make up` has written this stage's endpoint."""
    monkeypatch.chdir(folder)
    endpoint = folder / ".local" / "endpoint.json"
    endpoint.parent.mkdir()
    endpoint.write_text(json.dumps({"url": stage.url, "token": token}))
    return CliRunner().invoke(main, ["smoke", "--stage", "local"])


def test_a_stage_that_works_is_told_so_and_left_as_it_was(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = stage.token(uuid4())

    result = run(stage, tmp_path, monkeypatch, token)

    assert result.exit_code == 0, result.output
    subjects = [line.split()[1].rstrip(":") for line in result.output.splitlines()[:-1]]
    assert subjects == ["token", "upload", "question", "deletion", "alarms"]
    assert "skipped: the local stage has none" in result.output
    assert "The stage local works" in result.output
    with PulseDocs(stage.url, token, trust_env=False) as docs:
        assert list(docs.documents()) == []


@pytest.mark.parametrize(
    ("is_known", "subject", "next_step"),
    [(False, "token", "pulsedocs login"), (True, "upload", "pulsedocs user add")],
    ids=["a token that is none", "a user who may only read"],
)
def test_what_does_not_work_is_named_with_the_next_step(
    stage: Stage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_known: bool,
    subject: str,
    next_step: str,
) -> None:
    token = stage.token(uuid4(), scopes=(READ,)) if is_known else "not a token"

    result = run(stage, tmp_path, monkeypatch, token)

    assert result.exit_code == 1
    assert f"stop  {subject}" in result.output
    assert next_step in result.output
    assert f"The stage local does not work: {subject}" in result.output


class Lying(PulseDocs):
    """A stage that cites a page which does not say it, or refuses to answer."""

    changes: Mapping[str, Any]

    def ask(self, question: str, **options: Any) -> dict[str, Any]:
        answer = super().ask(question, **options)
        for citation in answer["citations"]:
            citation.update(self.changes.get("citation", {}))
        return answer | {name: self.changes[name] for name in self.changes if name != "citation"}


@pytest.mark.parametrize(
    ("changes", "subject"),
    [
        ({"citation": {"page": 1}}, "citation"),
        ({"citations": []}, "question"),
        ({"abstained": {"reason": "NOTHING_FOUND", "detail": "no passage"}}, "question"),
    ],
)
def test_a_citation_that_is_not_on_its_page_is_found_and_the_document_deleted(
    stage: Stage, tmp_path: Path, changes: Mapping[str, Any], subject: str
) -> None:
    """T-14."""
    token = stage.token(uuid4())
    with Lying(stage.url, token, trust_env=False) as lying:
        lying.changes = changes
        found = list(smoke.smoke(lying, alarms=list, folder=tmp_path))

        assert [finding.level for finding in found] == ["ok", "ok", "stop", "ok"]
        assert found[2].subject == subject
        assert list(lying.documents()) == []


def test_words_that_are_left_fail_the_deletion(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(*_: object, **__: object) -> Iterator[str]:
        raise smoke.LeftBehind("3 rows of words")

    monkeypatch.setattr(smoke, "verify_deletion", leave)
    with PulseDocs(stage.url, stage.token(UUID(int=77)), trust_env=False) as docs:
        found = list(smoke.smoke(docs, alarms=list, folder=tmp_path))

    assert [(finding.subject, finding.level) for finding in found][-1] == ("deletion", "stop")
