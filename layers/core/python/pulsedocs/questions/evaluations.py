"""Evaluations of a tenant's own collection: asked for, run apart from the request, read."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

from pulsedocs.errors import (
    DocumentNotFound,
    EvaluationNotFound,
    ObjectNotFound,
    PulseDocsError,
    RetryableError,
)
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.evaluations import Expected, LabelledQuestion
from pulsedocs.model.lookups import PrepareQuery
from pulsedocs.model.object_keys import (
    evaluation_control_key,
    evaluation_key,
    evaluation_request_key,
)
from pulsedocs.model.retrieval import Scope
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.questions.evaluate_profiles import METHOD, evaluate_profile, figures_of
from pulsedocs.questions.policies import policy_named
from pulsedocs.questions.ports import RetrievalStore
from pulsedocs.questions.query_engine import QueryEngine

QUEUED, RUNNING, DONE, FAILED = "QUEUED", "RUNNING", "DONE", "FAILED"
_Record = dict[str, Any]
_Note = Callable[..., None]


@dataclass(frozen=True, slots=True)
class EvaluationAccepted:
    evaluation_id: UUID


def start_evaluation(
    tenant_id: UUID,
    *,
    collection: str,
    questions: Sequence[LabelledQuestion],
    profiles: Sequence[str],
    store: RetrievalStore,
    objects: ObjectStore,
) -> EvaluationAccepted:
    """Leave the questions for the function that runs them, then ask for the run.

    The collection and the profiles are looked up now, so that the caller hears of a wrong name.
    Raises CollectionNotFoundError and ProfileNotFound.
    """
    scope = Scope(tenant_id, (collection,))
    # That the collection exists; the reservation that looking at it makes expires by itself.
    store.prepare(PrepareQuery(scope=scope, method=METHOD))
    for profile in profiles:
        policy_named(profile, scope, store=store)
    evaluation_id = uuid4()
    request = {
        "collection": collection,
        "questions": [asdict(question) for question in questions],
        "profiles": list(dict.fromkeys(profiles)),
    }
    objects.write(evaluation_request_key(tenant_id, evaluation_id), _json(request))
    record = _record(evaluation_id, request)
    objects.write(evaluation_key(tenant_id, evaluation_id), _json(record))
    objects.write(evaluation_control_key(tenant_id, evaluation_id), b"{}")
    return EvaluationAccepted(evaluation_id)


def read_evaluation(tenant_id: UUID, evaluation_id: UUID, *, objects: ObjectStore) -> _Record:
    """Return how far it is; another tenant's cannot be told from one that never was."""
    try:
        return json.loads(objects.read(evaluation_key(tenant_id, evaluation_id)))
    except ObjectNotFound:
        wanted = str(evaluation_id)
        message = f"there is no evaluation {wanted!r}"
        raise EvaluationNotFound(message, evaluation_id=wanted) from None


def run_evaluation(
    tenant_id: UUID, evaluation_id: UUID, *, engine: QueryEngine, objects: ObjectStore
) -> _Record:
    """Ask every question under every profile and keep the figures; the questions are removed.

    An event that comes twice finds none and changes nothing; where they went with a document that
    they quote, the evaluation has FAILED. A failure is recorded; a passing one leaves the questions
    for the next try, and the evaluation RUNNING.
    """
    request_key = evaluation_request_key(tenant_id, evaluation_id)
    try:
        request = json.loads(objects.read(request_key))
    except ObjectNotFound:
        ended = _ended_without_questions(tenant_id, evaluation_id, objects)
        return {"state": ended["state"], "was_run": False}
    record = _record(evaluation_id, request)

    def note(**changes: Any) -> None:  # noqa: ANN401 -- JSON
        record.update(changes)
        objects.write(evaluation_key(tenant_id, evaluation_id), _json(record))

    note(state=RUNNING)
    scope = Scope(tenant_id, (request["collection"],))
    try:
        _run(scope, request, engine=engine, note=note)
    except PulseDocsError as error:
        is_over = not isinstance(error, RetryableError)
        state = FAILED if is_over else RUNNING
        note(state=state, error={"code": error.code, "message": error.message})
        if not is_over:
            raise
    objects.remove(request_key)
    return {"state": record["state"], "was_run": True}


def _ended_without_questions(tenant_id: UUID, evaluation_id: UUID, objects: ObjectStore) -> _Record:
    record = read_evaluation(tenant_id, evaluation_id, objects=objects)
    if record["state"] in {QUEUED, RUNNING}:
        message = "a document that its questions quote was deleted, and they with it"
        error = {"code": DocumentNotFound.code, "message": message}
        record |= {"state": FAILED, "error": error}
        objects.write(evaluation_key(tenant_id, evaluation_id), _json(record))
    return record


def _run(
    scope: Scope,
    request: Mapping[str, Any],
    *,
    engine: QueryEngine,
    note: _Note,
) -> None:
    questions = [
        LabelledQuestion(
            row["text"], tuple(Expected(**place) for place in row["expected"]), row["answerable"]
        )
        for row in request["questions"]
    ]
    found: dict[str, Any] = {}
    corpus: str | None = None
    for done, profile in enumerate(request["profiles"]):
        share = engine.deadline.remaining() / (len(request["profiles"]) - done)
        asked = evaluate_profile(
            profile,
            questions,
            scope=scope,
            engine=engine.within(Deadline.after(share)),
        )
        found[profile] = asdict(figures_of(asked)) if asked else None
        if asked:  # another hash of what was searched means that documents have changed
            searched = json.dumps(asked[0].corpus, sort_keys=True, default=str)
            corpus = sha256(searched.encode()).hexdigest()
        note(profiles=found, corpus=corpus)
    is_whole = all(own and own["questions"] == len(questions) for own in found.values())
    note(state=DONE, complete=is_whole)


def _record(evaluation_id: UUID, request: Mapping[str, Any]) -> _Record:
    return {
        "evaluation_id": str(evaluation_id),
        "state": QUEUED,
        "collection": request["collection"],
        "questions": len(request["questions"]),
        "profiles": dict.fromkeys(request["profiles"]),
        "corpus": None,
        "complete": False,
        "error": None,
    }


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, default=str).encode()
