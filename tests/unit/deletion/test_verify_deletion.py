"""The proof of a deletion looks at everything that objects of the tenant say."""

import json
from typing import Any, cast
from uuid import UUID

import pytest

from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.deletion.ports import PurgeStore
from pulsedocs.deletion.verify_deletion import search, verdict
from pulsedocs.model.deadline import Deadline
from pulsedocs.model.deletions import Purge, Searched
from pulsedocs.model.shingles import Sample, key_of, shingles_of

TENANT, DELETED = UUID(int=1), UUID(int=2)
SAID = "the gauge of the northern station is read at noon"
SAMPLE = Sample.of(shingles_of(SAID), key=key_of(b"of a test"))
PURGE = Purge(
    TENANT,
    UUID(int=3),
    DELETED,
    is_completed=False,
    before={},
    verification=None,
    sample=SAMPLE,
    asked=None,
)


class NoRows:
    """A purge store whose tables hold nothing of the tenant any more."""

    def search(self, *_: object, **__: object) -> Searched:
        return Searched(0, ())

    def existing(self, *_: object) -> set[UUID]:
        return set()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(json.dumps({SAID: 1}), id="a key"),
        pytest.param(json.dumps({"turns": [{"text": SAID}]}), id="a value"),
        pytest.param(json.dumps({"words": SAID.split()}), id="a list of words"),
        pytest.param('{"number": 1}\n' + json.dumps({"text": SAID}), id="a line of JSON"),
        pytest.param(SAID, id="plain text"),
    ],
)
def test_words_of_a_deleted_document_are_found_wherever_an_object_has_them(body: str) -> None:
    objects = InMemoryObjectStore()
    objects.write(f"traces/{TENANT}/one.json", body.encode())

    evidence = search(
        TENANT,
        [PURGE],
        store=cast("PurgeStore", NoRows()),
        objects=objects,
        deadline=Deadline.after(120),
    )

    found: dict[str, Any] = verdict(PURGE, evidence, after={})
    assert found["places"] == [{"place": "object traces/", "count": 1}]
