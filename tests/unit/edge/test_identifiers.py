"""Every task's log line can name the tenant, and what the work is about; never a name or a text."""

import importlib
import inspect
from typing import Any, get_type_hints

import pytest
from pydantic import BaseModel

from pulsedocs.edge.identifiers import begin_notes, ids_of, ids_of_path, note, noted
from tests.sample_events import NAMES, sample

NAMES_NOBODY = frozenset({"migrate", "sweep"})
"""What concerns a whole stage."""


def request_model(name: str) -> type[BaseModel] | None:
    """Return what a task's handler parses its event into; None for other handlers."""
    handler: Any = getattr(importlib.import_module(f"functions.{name}.handler"), "handler", None)
    if handler is None or not hasattr(handler, "__wrapped__"):
        return None
    hints = get_type_hints(inspect.unwrap(handler))
    [model] = [hint for argument, hint in hints.items() if argument != "return"]
    return model


TASKS = {name: model for name in NAMES if (model := request_model(name)) is not None}


def event_of(name: str) -> BaseModel:
    return TASKS[name].model_validate(sample(name))


def test_the_tasks_are_found() -> None:
    assert {"claim", "embed", "evaluate", "backfill", "retire", "retrieve", "purge"} <= set(TASKS)


@pytest.mark.parametrize("name", sorted(set(TASKS) - NAMES_NOBODY))
def test_a_sample_event_names_its_tenant_and_its_subject(name: str) -> None:
    """P-06."""
    found = ids_of(event_of(name))

    assert "tenant_id" in found
    if name != "retrieve":  # a question's tenant is all that its first call knows
        assert set(found) & {
            *("document_id", "batch_id", "backfill_id", "receipt_id"),
            *("evaluation_id", "retirement_id", "probe_id"),
        }


@pytest.mark.parametrize("name", sorted(TASKS))
def test_what_is_logged_of_an_event_is_ids_and_counters(name: str) -> None:
    """P-06: none of it is a word that somebody wrote."""
    for key, value in ids_of(event_of(name)).items():
        if key in {"version", "fence"}:
            assert isinstance(value, int)
        else:
            assert ids_of_path({"an_id": value}) == {"an_id": value}


def test_only_ids_of_a_path_are_logged() -> None:
    tenants_own = {"name": "mergers", "profile": "strict", "document_id": "secret-plan"}
    an_id = "6f1cbb9e-4d0f-4bd1-8e8f-2a3d5a5f0c11"

    assert ids_of_path({**tenants_own, "receipt_id": an_id}) == {"receipt_id": an_id}
    assert ids_of_path(None) == {}


def test_notes_belong_to_one_request() -> None:
    begin_notes(request_id="one")
    note(trace_id="t")
    assert noted() == {"request_id": "one", "trace_id": "t"}

    begin_notes(request_id="two")
    assert noted() == {"request_id": "two"}
