"""A tenant with much to do keeps no other one waiting for more than the turn that is taken."""

import json
from uuid import UUID

import pytest

from local.fair_queue import FairQueue, tenant_of

ANN = UUID("11111111-1111-4111-8111-111111111111")
DOCUMENT = UUID("22222222-2222-4222-8222-222222222222")


def queue_of(*parties: str, places: int, each: int | None = None) -> FairQueue[str]:
    queue = FairQueue[str](places, each=each)
    for number, party in enumerate(parties):
        queue.add(party, f"{party}{number}")
    return queue


def test_who_comes_last_is_next_where_another_holds_everything() -> None:
    queue = queue_of("a", "a", "a", "a", "b", places=2)
    assert [queue.take(), queue.take(), queue.take()] == ["a0", "b4", None]

    queue.release("a")

    assert queue.take() == "a1"


def test_a_tenant_goes_before_one_that_still_holds_a_place() -> None:
    queue = queue_of("a", "a", places=2)
    assert [queue.take(), queue.take()] == ["a0", "a1"]
    for party in ("a", "a", "b", "b"):
        queue.add(party, f"{party}-late")

    queue.release("a")
    assert queue.take() == "b-late"
    queue.release("b")
    assert queue.take() == "b-late"


def test_more_tenants_than_places_take_turns() -> None:
    queue = queue_of("a", "a", "a", "b", "b", "b", "c", places=1)
    served: list[str] = []
    while item := queue.take():
        served.append(item)
        queue.release(item[0])

    assert served == ["a0", "b3", "c6", "a1", "b4", "a2", "b5"]


def test_one_party_never_holds_the_last_places() -> None:
    queue = queue_of("a", "a", "a", places=3, each=2)
    assert [queue.take(), queue.take(), queue.take()] == ["a0", "a1", None]

    queue.add("b", "b0")

    assert queue.take() == "b0"


def test_who_stops_waiting_is_not_served() -> None:
    queue = queue_of("a", "b", "b", places=3)

    queue.withdraw("a", "a0")

    assert [queue.take(), queue.take(), queue.take(), len(queue)] == ["b1", "b2", None, 0]


@pytest.mark.parametrize(
    "event",
    [
        {"run": {"tenant_id": str(ANN)}, "kind": "pages"},
        {"batch": {"tenant_id": str(ANN)}, "kind": "next"},
        {"requestContext": {"authorizer": {"tenant_id": str(ANN)}}, "body": '{"tenant_id": "b"}'},
        {"event": {"detail": {"object": {"key": f"u/{ANN}/{DOCUMENT}"}}}},
        {"detail": {"object": {"key": f"control/ingest/{ANN}/{DOCUMENT}"}}},
    ],
)
def test_an_event_is_its_tenants(event: object) -> None:
    assert tenant_of(json.dumps(event)) == str(ANN)


@pytest.mark.parametrize(
    "event", [{}, [], {"run": None}, {"full": True}, {"detail": {"object": 1}}]
)
def test_what_is_no_tenants_is_one_partys(event: object) -> None:
    assert tenant_of(json.dumps(event)) == ""
