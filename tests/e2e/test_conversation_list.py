"""People find their conversations again the next day: their own, with what was cited."""

from collections.abc import Generator
from contextlib import ExitStack
from typing import Any, Final
from uuid import uuid4

import pytest
from click.testing import CliRunner

from local.stage import Stage
from pulsedocs.client import PulseDocs
from pulsedocs.scopes import READ
from pulsedocs_cli.__main__ import main
from tests.e2e.tenant import Tenant

NOTE: Final = b"The hoist of the mill lifts 800 kilograms. Its rope is greased every second Monday."
LIFTS: Final = "How many kilograms does the hoist of the mill lift?"
GREASED: Final = "How often is the rope of the hoist greased?"
ELSEWHERE: Final = "Who composed the opera about the flying Dutchman?"


@pytest.fixture
def people(stage: Stage) -> Generator[tuple[Tenant, Tenant]]:
    """Two people of one tenant, which has a note."""
    tenant_id = uuid4()
    with ExitStack() as stack:
        olga, peter = (
            stack.enter_context(
                Tenant(stage.url, stage.token(tenant_id, subject=name), tenant_id=tenant_id)
            )
            for name in ("olga", "peter")
        )
        olga.ingest(NOTE, filename="mill.txt")
        yield olga, peter


def ask(person: Tenant, question: str, conversation: str) -> dict[str, Any]:
    return person.post("/ask", {"question": question, "conversation_id": conversation})


def listed(person: Tenant, **parameters: Any) -> list[tuple[str, int]]:
    found = person.get("/conversations", **parameters)["conversations"]
    return [(each["title"], each["turns"]) for each in found]


def test_each_person_of_a_tenant_has_their_own(
    people: tuple[Tenant, Tenant], tenant: Tenant
) -> None:
    """S4-11 The person is whom the token names; what names another is refused."""
    olga, peter = people
    hers, his = str(uuid4()), str(uuid4())
    ask(olga, LIFTS, hers)
    ask(peter, GREASED, his)
    ask(olga, GREASED, hers)
    forged = {"question": LIFTS, "conversation_id": hers, "subject": "olga"}

    assert listed(olga) == [(LIFTS, 2)]
    assert listed(peter) == [(GREASED, 1)]
    assert listed(tenant) == []
    for method in ("GET", "DELETE"):
        assert peter.send(method, f"/conversations/{hers}").status_code == 404
    assert peter.send("POST", "/ask", forged).status_code == 400
    under_hers = {"question": LIFTS, "conversation_id": hers}
    for path in ("/ask", "/ask/stream", "/chat"):
        refused = peter.send("POST", path, under_hers)
        assert (refused.status_code, refused.json()["code"]) == (409, "CONVERSATION_TAKEN")
    assert listed(olga) == [(LIFTS, 2)]


def test_who_may_only_read_deletes_their_own(people: tuple[Tenant, Tenant], stage: Stage) -> None:
    olga, _ = people
    talk = str(uuid4())
    token = stage.token(olga.tenant_id, scopes=(READ,), subject="reader")
    with Tenant(stage.url, token, tenant_id=olga.tenant_id) as reader:
        ask(reader, LIFTS, talk)

        deleted = reader.send("DELETE", f"/conversations/{talk}")

        assert (deleted.status_code, listed(reader)) == (200, [])


def test_a_conversation_that_is_opened_again_cites_as_its_answers_did(
    people: tuple[Tenant, Tenant],
) -> None:
    olga, _ = people
    talk = str(uuid4())
    answer = ask(olga, LIFTS, talk)
    refusal = ask(olga, ELSEWHERE, talk)

    answered, refused = olga.get(f"/conversations/{talk}")["turns"]

    assert answered["answer"] == answer["answer"]
    [cited], [kept] = answer["citations"], answered["citations"]
    assert kept["version"] == 1
    assert {name: kept[name] for name in kept.keys() & cited.keys()} == {
        name: cited[name] for name in kept.keys() & cited.keys()
    }
    assert kept["quote"]
    assert refused["refused_for"] == refusal["abstained"]["reason"]
    assert (answered["refused_for"], refused["citations"]) == (None, [])


def test_the_list_is_read_a_page_at_a_time(people: tuple[Tenant, Tenant]) -> None:
    olga, _ = people
    for _ in range(3):
        ask(olga, LIFTS, str(uuid4()))
    whole = olga.get("/conversations")["conversations"]

    paged, cursor = list[dict[str, Any]](), None
    for _ in whole:
        page = olga.get("/conversations", limit=1, **({"cursor": cursor} if cursor else {}))
        paged += page["conversations"]
        cursor = page["cursor"]

    assert (paged, cursor, len(whole)) == (whole, None, 3)
    assert [each["answered_at"] for each in whole] == sorted(
        (each["answered_at"] for each in whole), reverse=True
    )
    assert olga.send("GET", "/conversations", params={"cursor": "no"}).status_code == 400


def test_what_was_said_of_a_deleted_document_is_not_listed(people: tuple[Tenant, Tenant]) -> None:
    olga, _ = people
    ask(olga, LIFTS, str(uuid4()))
    [document] = olga.get("/documents")["documents"]

    assert olga.send("DELETE", f"/documents/{document['document_id']}").is_success

    assert listed(olga) == []


def test_client_and_command_list_show_and_delete(
    people: tuple[Tenant, Tenant], stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga, peter = people
    monkeypatch.setenv("PULSEDOCS_URL", stage.url)
    monkeypatch.setenv("PULSEDOCS_TOKEN", olga.token)
    with (
        PulseDocs(stage.url, olga.token, trust_env=False) as docs,
        PulseDocs(stage.url, peter.token, trust_env=False) as his,
    ):
        talk = docs.chat()
        answer = talk.ask(LIFTS)
        of_both = [list(docs.conversations()), list(his.conversations())]
        by_command = CliRunner().invoke(main, ["conversations", "list"])
        shown = CliRunner().invoke(main, ["conversations", "show", str(talk.id)])
        deleted = CliRunner().invoke(main, ["conversations", "delete", str(talk.id)])
        left = list(docs.conversations())

    assert [[each["title"] for each in found] for found in of_both] == [[LIFTS], []]
    assert LIFTS in by_command.stdout
    assert str(talk.id) in by_command.stdout
    assert f"> {LIFTS}" in shown.stdout
    assert answer["citations"][0]["quote"] in shown.stdout
    assert deleted.exit_code == 0, deleted.output
    assert left == []
    again = CliRunner().invoke(main, ["conversations", "show", str(talk.id)])
    assert (again.exit_code, len(again.stderr.splitlines()) <= 3) == (1, True)
