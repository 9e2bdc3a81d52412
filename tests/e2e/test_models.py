"""A collection's way from one model to another on a whole stage, over HTTP alone."""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

from psycopg import Connection

from local.stage import Stage
from tests.e2e.tenant import Json, Tenant
from tests.patience import until

OLD: Final = "memory:hashing@384"
NEW: Final = "memory:hashing@128"
NOTES: Final = {
    f"note-{number}.txt": (
        f"Entry {number}. The {thing} of the {place} was inspected by the crew at dusk."
    ).encode()
    for number, (thing, place) in enumerate(
        (thing, place)
        for thing in ("lantern", "anchor chain", "fog horn", "radio mast")
        for place in ("northern buoy", "harbour light", "tender")
    )
}
MIGRATION: Final = "/collections/default/migration"


def path_of(model: str, rest: str = "") -> str:
    return f"/models/{quote(model, safe='')}{rest}"


def listed(tenant: Tenant, model: str) -> Json | None:
    return next((each for each in tenant.get("/models")["models"] if each["model"] == model), None)


def register(tenant: Tenant, model: str) -> Json:
    """Register a model; return it once its probe has ended."""
    answered = tenant.send("POST", "/models", {"model": model})
    assert answered.status_code == 202, answered.text
    assert answered.json()["state"] == "PROBING"
    return until(lambda: listed(tenant, model), lambda found: found and found["state"] != "PROBING")


def coverage(tenant: Tenant, model: str, **parameters: Any) -> Json:
    return tenant.get(path_of(model, "/coverage"), **parameters)


def covered(tenant: Tenant, model: str, **parameters: Any) -> Json:
    """Return the coverage once the newest backfill has ended well."""

    def has_ended(found: Json) -> bool:
        assert not found["backfills"] or found["backfills"][0]["state"] != "FAILED", found
        return bool(found["backfills"]) and found["backfills"][0]["state"] == "FINISHED"

    return until(lambda: coverage(tenant, model, **parameters), has_ended)


def counts(found: Json) -> tuple[int, int, int, int]:
    return found["chunks"], found["embedded"], found["missing"], found["stale"]


def fill(tenant: Tenant, notes: dict[str, bytes]) -> None:
    ids = [tenant.upload(body, filename=name) for name, body in notes.items()]
    for document_id in ids:
        assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"


def found(tenant: Tenant, **options: Any) -> list[str]:
    asked = {"query": "the anchor chain of the tender", "enable_keyword_search": False}
    return [each["source"] for each in tenant.post("/search", asked | options)["chunks"]]


def bought(admin: Connection[Any], tenant: Tenant, method: str) -> int:
    row = admin.execute(
        "SELECT count(*) FROM usage WHERE tenant_id = %s AND method = %s",
        [tenant.tenant_id, method],
    ).fetchone()
    assert row is not None
    return row[0]


def test_a_model_is_tried_beside_the_one_that_a_collection_is_searched_by(
    admin: Connection[Any], tenant: Tenant
) -> None:
    """S1-04, S0-33, S0-34: what was there is filled in, what comes is embedded for both."""
    fill(tenant, dict(list(NOTES.items())[:8]))
    assert register(tenant, NEW)["state"] == "READY"
    assert counts(coverage(tenant, NEW)) == (8, 0, 8, 0)
    early = tenant.send("POST", f"{MIGRATION}/promote")
    assert (early.status_code, early.json()["code"]) == (404, "MIGRATION_NOT_FOUND")
    unindexed = tenant.post("/search", {"query": "anchor", "model": NEW})
    assert unindexed["abstained"]["message"] == (
        "This document has not been indexed for the selected retrieval model."
    )

    started = tenant.send("POST", MIGRATION, {"to_model": NEW})
    assert (started.status_code, started.json()["state"]) == (202, "SHADOW")
    assert counts(covered(tenant, NEW)) == (8, 8, 0, 0)
    assert bought(admin, tenant, "backfill") == 8
    fill(tenant, dict(list(NOTES.items())[8:]))  # what comes now is embedded for both
    assert counts(coverage(tenant, NEW)) == counts(coverage(tenant, OLD)) == (12, 12, 0, 0)

    shown = tenant.get(MIGRATION)
    assert (shown["active_model"], shown["to_model"]) == (OLD, NEW)
    assert shown["coverage"][NEW]["missing"] == 0
    assert shown["comparison"]["sampled_chunks"] == 12
    assert 0 < shown["comparison"]["lowest"] <= shown["comparison"]["overlap"] <= 1
    assert set(found(tenant)) & set(found(tenant, model=NEW))


def promoted_to_new(tenant: Tenant) -> None:
    """Have a collection of three documents, of which `found` asks, searched by the new model."""
    fill(tenant, dict(list(NOTES.items())[3:6]))
    register(tenant, NEW)
    assert tenant.send("POST", MIGRATION, {"to_model": NEW}).status_code == 202
    assert counts(covered(tenant, NEW)) == (3, 3, 0, 0)
    promoted = tenant.post(f"{MIGRATION}/promote")
    assert (promoted["state"], promoted["active_model"]) == ("PROMOTED", NEW)


def test_a_collection_goes_to_another_model_and_back(
    admin: Connection[Any], tenant: Tenant
) -> None:
    """S1-04, S0-35: nothing is lost on the way, and who did what is on record."""
    promoted_to_new(tenant)
    assert tenant.get("/collections/default")["model"] == NEW
    assert found(tenant) == found(tenant, model=NEW)
    assert found(tenant, model=OLD)  # both readable until one is retired
    fill(tenant, {"later.txt": b"The gangway of the tender was painted white at noon."})
    assert counts(coverage(tenant, OLD)) == (4, 4, 0, 0)

    back = tenant.post(f"{MIGRATION}/rollback")
    assert (back["state"], back["active_model"]) == ("ROLLED_BACK", OLD)
    again = tenant.post(f"{MIGRATION}/promote")
    assert (again["state"], again["active_model"]) == ("PROMOTED", NEW)
    refused = tenant.send("DELETE", path_of(NEW))
    assert (refused.status_code, refused.json()["code"]) == (409, "MODEL_IN_USE")

    actions = admin.execute(
        "SELECT actor, action, detail ->> 'collection' FROM audit_event"
        " WHERE tenant_id = %s AND object IN (%s, %s) ORDER BY at",
        [tenant.tenant_id, OLD, NEW],
    ).fetchall()
    assert actions == [
        ("local-user", "register_model", None),
        ("local-user", "start_migration", "default"),
        ("local-user", "promote_model", "default"),
        ("local-user", "roll_back_model", "default"),
        ("local-user", "promote_model", "default"),
    ]


def test_a_model_that_a_collection_has_left_is_retired_with_its_vectors(
    admin: Connection[Any], tenant: Tenant
) -> None:
    """S0-33, S0-35: there is no way back then, and search goes on."""
    promoted_to_new(tenant)

    assert tenant.send("DELETE", path_of(OLD)).status_code == 202
    until(lambda: listed(tenant, OLD), lambda row: row is None)
    assert found(tenant)
    lost = tenant.send("POST", f"{MIGRATION}/rollback")
    assert (lost.status_code, lost.json()["code"]) == (404, "MIGRATION_NOT_FOUND")
    left = admin.execute(
        "SELECT count(*) FROM chunk_embedding JOIN stage_model USING (model_id)"
        " WHERE tenant_id = %s AND model = %s",
        [tenant.tenant_id, OLD],
    ).fetchone()
    assert left == (0,)
    retired = admin.execute(
        "SELECT actor FROM audit_event WHERE tenant_id = %s AND action = 'retire_model'",
        [tenant.tenant_id],
    ).fetchall()
    assert retired == [("local-user",)]


def test_a_second_backfill_calls_no_provider(admin: Connection[Any], tenant: Tenant) -> None:
    fill(tenant, dict(list(NOTES.items())[:3]))
    register(tenant, NEW)
    asked = [tenant.send("POST", path_of(NEW, "/backfill")).json()["backfill_id"] for _ in range(2)]
    assert counts(covered(tenant, NEW)) == (3, 3, 0, 0)
    calls = bought(admin, tenant, "backfill")

    third = tenant.send("POST", path_of(NEW, "/backfill"))
    until(
        lambda: coverage(tenant, NEW)["backfills"],
        lambda rows: len(rows) == 2 + (asked[0] != asked[1]) and rows[0]["state"] == "FINISHED",
    )

    assert third.status_code == 202
    assert calls == bought(admin, tenant, "backfill") == 3


def test_another_chunk_profile_makes_vectors_stale_and_a_backfill_renews_them(
    tenant: Tenant,
) -> None:
    """S0-33, S0-34: as does nothing that was cut as its own upload said."""
    fill(tenant, dict(list(NOTES.items())[:2]))
    own = tenant.upload(
        b"This note was cut as it was told.", filename="own.txt", chunking={"profile": "classic"}
    )
    assert tenant.outcome(own)["outcome"] == "PUBLISHED"
    assert counts(coverage(tenant, OLD)) == (3, 3, 0, 0)

    changed = tenant.send("PATCH", "/collections/default", {"chunk_profile": "words"})
    assert changed.is_success
    assert counts(coverage(tenant, OLD)) == (3, 3, 0, 2)
    assert tenant.send("POST", path_of(OLD, "/backfill")).status_code == 202

    until(lambda: counts(coverage(tenant, OLD)), lambda now: now == (3, 3, 0, 0))
    profiles = [
        document["chunking"]["profile"] for document in tenant.get("/documents")["documents"]
    ]
    assert sorted(profiles) == ["classic", "words", "words"]


def test_what_is_reprocessed_is_cut_as_its_collection_is_by_now(tenant: Tenant) -> None:
    """S3-12, S0-33: it was cut as before, and its vectors stayed stale."""
    own = {"profile": "classic", "characters": 400}
    asked: dict[str, Any] = {"plain.txt": {}, "own.txt": {"chunking": own}}
    ids = [
        tenant.upload(b"The valve opens at three bar.", filename=name, **options)
        for name, options in asked.items()
    ]
    assert {tenant.outcome(each)["outcome"] for each in ids} == {"PUBLISHED"}
    assert tenant.send("PATCH", "/collections/default", {"chunk_profile": "words"}).is_success
    assert coverage(tenant, OLD)["stale"] == 1

    update = {"strategy": "metadata", "document_ids": ids, "reprocess_chunks": True}
    assert tenant.send("POST", "/documents/update", update).is_success

    cut = [
        until(lambda each=each: tenant.status(each), lambda now: now["published_version"] == 2)
        for each in ids
    ]
    assert [each["chunking"]["profile"] for each in cut] == ["words", "classic"]
    assert coverage(tenant, OLD)["stale"] == 0


def test_a_model_that_no_provider_has_is_refused_with_a_reason(tenant: Tenant) -> None:
    """S3-01, S4-04: so is a local one of another width. Failed when its first document found it."""
    for body in ({}, {"name": "a"}):
        path = "/collections" if body else "/models"
        unknown = tenant.send("POST", path, body | {"model": "opneai:text-embedding-3-small@1536"})
        narrow = tenant.send("POST", path, body | {"model": "local:muse@384"})
        assert (unknown.status_code, narrow.status_code) == (422, 422)
        assert unknown.json()["code"] == narrow.json()["code"] == "UNKNOWN_MODEL"
        assert "known are local, openai" in unknown.json()["detail"]
        assert "local:muse@512" in narrow.json()["detail"]
    refused = tenant.send("POST", path_of("memory:hashing@9", "/backfill"))
    assert (refused.status_code, refused.json()["code"]) == (404, "MODEL_NOT_FOUND")
    changed = tenant.send("PATCH", "/collections/default", {"model": "acme:foo@64"})
    assert (changed.status_code, changed.json()["code"]) == (422, "UNKNOWN_MODEL")
    nameless = tenant.send("POST", "/models", {"model": "just a name"})
    assert (nameless.status_code, nameless.json()["code"]) == (400, "INVALID_REQUEST")


def test_models_are_each_tenants_own(new_tenant: Callable[..., Tenant]) -> None:
    """I10: another's models, coverage and migrations are as if they were not."""
    owner, stranger = new_tenant(), new_tenant()
    fill(owner, dict(list(NOTES.items())[:1]))
    register(owner, NEW)
    owner.send("POST", MIGRATION, {"to_model": NEW})
    covered(owner, NEW)

    answers = [
        stranger.send("GET", path_of(NEW, "/coverage")),
        stranger.send("POST", path_of(NEW, "/backfill")),
        stranger.send("DELETE", path_of(NEW)),
        stranger.send("POST", MIGRATION, {"to_model": NEW}),
        stranger.send("GET", MIGRATION),
        stranger.send("POST", f"{MIGRATION}/promote"),
        stranger.send("POST", f"{MIGRATION}/rollback"),
    ]

    assert {each.status_code for each in answers} == {404}
    assert stranger.get("/models")["models"] == []
    assert counts(coverage(owner, NEW)) == (1, 1, 0, 0)


def test_a_stage_says_whether_what_it_needs_answers(stage: Stage, tenant: Tenant) -> None:
    """S3-02: with a token only, since asking wakes a paused database."""
    answered = tenant.send("GET", "/health/ready")

    assert answered.status_code == 200, answered.text
    checks = answered.json()["checks"]
    assert {name: check["status"] for name, check in checks.items()} == {
        "database": "ok",
        "bucket": "ok",
        "embedder": "ok",
        "reranker": "ok",
        "chat": "off",
    }
    bare = Tenant(stage.url, "no token", tenant_id=tenant.tenant_id)
    with bare:
        assert bare.send("GET", "/health/ready").status_code in {401, 403}


def test_the_two_local_models_replace_each_other(tenant: Tenant) -> None:
    """S1-04: with real models of different widths, one of them multilingual."""
    old, new = "local:bge-small-en-v1.5@384", "local:muse@512"
    tenant.post("/collections", {"name": "manual", "model": old})
    for name, body in list(NOTES.items())[::4]:
        document_id = tenant.upload(body, filename=name, collection="manual")
        assert tenant.outcome(document_id)["outcome"] == "PUBLISHED"
    assert register(tenant, new)["state"] == "READY"

    migration = "/collections/manual/migration"
    tenant.send("POST", migration, {"to_model": new})
    assert counts(covered(tenant, new, collection="manual")) == (3, 3, 0, 0)
    promoted = tenant.post(f"{migration}/promote")

    assert promoted["active_model"] == new
    asked = {
        "collection": "manual",
        "query": "The anchor chain of the harbour light was inspected by the crew at dusk.",
        "profile": "v0.5",  # by similarity alone: no threshold
    }
    answer = until(  # on busy cores, loading the model may outlast the first question's time
        lambda: tenant.send("POST", "/search", asked), lambda found: found.status_code != 503
    )
    assert answer.status_code == 200, answer.text
    assert "anchor chain" in answer.json()["chunks"][0]["content"]
