"""Does a stage work: one document in, a question, its citation, an alarm, and the document out.

Each step is a finding, as `deploy-check` has them; the document is deleted whatever happens.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pulsedocs.client import PulseDocs, RequestRefused
from pulsedocs.client.deletions import LeftBehind, verify_deletion
from pulsedocs.errors import NoAnswer
from pulsedocs.model.plurals import counted
from pulsedocs_cli.deployment.findings import Finding, ok, stop, stops
from pulsedocs_cli.small_pdf import pdf_of

Check = Callable[[], Iterable[Finding]]

COLLECTION: Final = "pulsedocs-smoke"
_WAIT_SECONDS: Final = 300.0
_ANSWER_PAGE: Final = 2


def smoke(stage: PulseDocs, *, alarms: Check, folder: Path) -> Iterator[Finding]:
    """Yield a finding a step, the first that stops being the last but for alarms and deletion."""
    token = _done("token", lambda: _check(stage))
    yield token
    if stops([token]):
        return
    number = 1000 + secrets.randbelow(9000)
    file = folder / f"pulsedocs-smoke-{number}.pdf"
    pages = [
        f"This document was made by a test of the stage. It is about the beacon of pier {number}.",
        f"The beacon of pier {number} burns for {number + 17} hours before its lamp is changed.",
    ]
    file.write_bytes(pdf_of(pages))
    # Its words are looked for after the deletion: of a PDF, only what `[server]` brings reads them.
    copy = file.with_suffix(".txt")
    copy.write_text("\n".join(pages), "ascii")
    try:
        document_id = stage.add(file, collection=COLLECTION)
    except (RequestRefused, NoAnswer, OSError) as error:
        yield _refused("upload", error)
    else:
        yield from _ask_about(stage, document_id, number=number, pages=pages)
        yield _done("deletion", lambda: _delete(stage, document_id, copy=copy))
    yield from alarms()


def verdict(findings: Iterable[Finding], *, name: str) -> str:
    """Say in a line whether the stage works, and what to do next."""
    found = list(findings)
    failed = [finding.subject for finding in found if stops([finding])]
    if failed:
        return (
            f"The stage {name} does not work: {', '.join(failed)}. Begin with the first step above."
        )
    if any(finding.next_step for finding in found):
        return f"The stage {name} works; see what the lines above ask for."
    return f"The stage {name} works: `pulsedocs add FILE --stage {name}` adds a document."


def _ask_about(
    stage: PulseDocs, document_id: UUID, *, number: int, pages: list[str]
) -> Iterator[Finding]:
    """Wait for the document and ask about it, for as long as each step succeeds."""
    for subject, act in (
        ("upload", lambda: _wait(stage, document_id)),
        ("question", lambda: _question(stage, number=number, pages=pages)),
    ):
        finding = _done(subject, act)
        yield finding
        if stops([finding]):
            return


def _check(stage: PulseDocs) -> Finding:
    stage.check()
    return ok("token", "accepted; database, bucket and models answer")


def _wait(stage: PulseDocs, document_id: UUID) -> Finding:
    status = stage.wait(document_id, seconds=_WAIT_SECONDS)
    if status["outcome"] == "PUBLISHED":
        chunks = counted(status["chunks"], "chunk")
        return ok("upload", f"document {document_id} can be searched, {chunks}")
    error: dict[str, Any] = status["error"] or {}
    said = f"{status['outcome']}: {error.get('code')} {error.get('message', '')}"
    return stop("upload", said, str(error.get("guidance") or f"pulsedocs status {document_id}"))


def _question(stage: PulseDocs, *, number: int, pages: list[str]) -> Finding:
    answer = stage.ask(
        f"How many hours does the beacon of pier {number} burn before its lamp is changed?",
        collection=COLLECTION,
    )
    why = "pulsedocs why {trace_id} --document ID --page 2".format(**answer)
    if answer["abstained"] is not None:
        detail = answer["abstained"]["detail"]
        return stop("question", f"refused, {answer['abstained']['reason']}: {detail}", why)
    telling = [one for one in answer["citations"] if str(number + 17) in one["quote"]]
    if not telling:
        return stop(
            "question", f"answered without a citation that says it: {answer['answer']}", why
        )
    for citation in telling:
        # The lines of a quote end where those of the page do.
        is_there = " ".join(citation["quote"].split()) in pages[_ANSWER_PAGE - 1]
        if citation["page"] != _ANSWER_PAGE or not is_there:
            return stop("citation", f"{citation['quote']!r} is not on page {citation['page']}", why)
    return ok("question", f"answered; the words cited are those of page {_ANSWER_PAGE}")


def _delete(stage: PulseDocs, document_id: UUID, *, copy: Path) -> Finding:
    receipt = stage.delete(document_id)
    try:
        verify_deletion(stage, receipt=receipt, file=copy)
    except LeftBehind as error:
        return stop("deletion", f"not proved: {error}", f"pulsedocs receipt {receipt}")
    return ok("deletion", f"proved by receipt {receipt}: nothing of the document is left")


def _done(subject: str, act: Callable[[], Finding]) -> Finding:
    try:
        return act()
    except (RequestRefused, NoAnswer) as error:
        return _refused(subject, error)


def _refused(subject: str, error: Exception) -> Finding:
    if isinstance(error, RequestRefused):
        next_step = {
            401: "pulsedocs login, or give --token",
            403: "let the user write: pulsedocs user add EMAIL --tenant TENANT",
        }.get(error.status, str(error.problem.get("guidance") or "look at the functions' logs"))
        return stop(subject, str(error), next_step)
    told = str(error) or type(error).__name__
    return stop(subject, told, "look at the address, the network and the functions' logs")
