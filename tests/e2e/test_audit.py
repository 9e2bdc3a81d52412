"""Who did what when, for the operators of one tenant. Failed when nothing but SQL could read it."""

from collections.abc import Callable
from typing import Any

from click.testing import CliRunner

from local.stage import Stage
from pulsedocs.scopes import ADMIN, READ, WRITE
from pulsedocs_cli.__main__ import main
from tests.e2e.tenant import Tenant
from tests.patience import eventually

TALK = "6a2f7e0c-3d1b-4c58-9a77-5b1e8f0d2c43"
TEXT = b"The lock keeper has the only key of the sluice."


def test_operators_see_who_did_what_in_their_tenant_alone(
    stage: Stage, new_tenant: Callable[..., Tenant]
) -> None:
    tenant, neighbour = new_tenant(), new_tenant()
    for each in (tenant, neighbour):
        each.ingest(TEXT)
    [document] = tenant.get("/documents")["documents"]
    token = stage.token(tenant.tenant_id, scopes=(READ, WRITE, ADMIN), subject="olga")

    with Tenant(stage.url, token, tenant_id=tenant.tenant_id) as olga:
        sent = olga.ingest(b"The miller has the second key.", filename="miller.txt")
        own_document = sent["document_id"]
        description = {"metadata": {"shelf": "b"}}
        assert olga.send("PATCH", f"/documents/{own_document}", description).is_success
        olga.post("/collections", {"name": "keys"})
        assert olga.send("PATCH", "/collections/keys", {"chunk_profile": "words"}).is_success
        assert olga.send("DELETE", "/collections/keys").is_success
        olga.post("/models", {"model": "memory:hashing@128"})
        assert olga.send("PUT", "/budget", {"pages": 9}).is_success
        own = {"base": "default", "values": {"top_k": 3}}
        assert olga.send("PUT", "/collections/default/profiles/mine", own).is_success
        migration = "/collections/default/migration"
        assert eventually(  # when the new model has been probed
            lambda: olga.send("POST", migration, {"to_model": "memory:hashing@128"}).is_success
        )
        olga.post("/ask", {"question": "Who has the second key?", "conversation_id": TALK})
        assert olga.send("DELETE", f"/conversations/{TALK}").is_success
        assert olga.send("DELETE", f"/documents/{document['document_id']}").is_success

        paged = list(pages(olga))
        whole = olga.get("/audit", limit=100)["events"]

    assert paged == whole
    done = [(event["action"], event["object"]) for event in whole if event["actor"] == "olga"]
    assert done == [
        ("delete_document", document["document_id"]),
        ("delete_conversation", TALK),
        ("start_migration", "memory:hashing@128"),
        ("define_profile", "default/mine"),
        ("choose_budget", "budget"),
        ("register_model", "memory:hashing@128"),
        ("delete_collection", "keys"),
        ("change_collection", "keys"),
        ("create_collection", "keys"),
        ("describe_document", own_document),
        ("register_document", own_document),
    ]
    assert [event["at"] for event in whole] == sorted((e["at"] for e in whole), reverse=True)
    assert tenant.send("GET", "/audit").json()["code"] == "FORBIDDEN"
    alien = stage.token(neighbour.tenant_id, scopes=(ADMIN,))
    with Tenant(stage.url, alien, tenant_id=neighbour.tenant_id) as operator:
        assert "olga" not in {event["actor"] for event in operator.get("/audit")["events"]}
        refused = operator.send("GET", "/audit", params={"cursor": "e30="})
        assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_REQUEST")
    command = ["audit", "--url", stage.url, "--token", token, "--limit", "2"]
    heads, *lines = CliRunner().invoke(main, command).output.splitlines()
    assert heads.split() == ["at", "actor", "action", "object", "outcome"]
    assert len(lines) == 2
    assert lines[0].split()[1:3] == ["olga", "delete_document"]


def pages(operator: Tenant) -> Any:
    page = operator.get("/audit", limit=2)
    yield from page["events"]
    while page["cursor"]:
        page = operator.get("/audit", limit=2, cursor=page["cursor"])
        yield from page["events"]
