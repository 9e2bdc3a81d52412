"""Earlier versions of a document are named, with what took their place, and can still be read."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from click.testing import CliRunner

from local.stage import Stage
from pulsedocs.client import PulseDocs
from pulsedocs_cli.__main__ import main
from tests.e2e.tenant import PDF, Tenant
from tests.e2e.test_highlight import report

OLD: Final = "The rope of the hoist is greased every second Monday."
NEW: Final = "The rope of the hoist is greased every first Friday."


def test_each_version_says_what_took_its_place_and_its_page_is_still_read(
    tenant: Tenant, new_tenant: Callable[..., Tenant], stage: Stage
) -> None:
    for text in (OLD, NEW):
        document_id = tenant.ingest(text.encode(), filename="hoist.txt")["document_id"]
    path = f"/documents/{document_id}"

    newest, oldest = tenant.get(f"{path}/versions")["versions"]
    paged = tenant.get(f"{path}/versions", limit=1)
    rest = tenant.get(f"{path}/versions", limit=1, cursor=paged["cursor"])
    with PulseDocs(stage.url, tenant.token, trust_env=False) as docs:
        listed = [each["version"] for each in docs.versions(UUID(document_id))]
        read = docs.page(UUID(document_id), 1, version=1)["text"]
    options = {"--url": stage.url, "--token": tenant.token}
    given = [each for option in options.items() for each in option]
    shown = CliRunner().invoke(main, ["show", document_id, "--versions", *given])
    of_old = CliRunner().invoke(
        main, ["show", document_id, "--page", "1", "--version", "1", *given]
    )

    assert [newest["version"], oldest["version"]] == listed == [2, 1]
    assert (newest["outcome"], newest["is_published"], newest["replaced_by"]) == (
        "PUBLISHED",
        True,
        None,
    )
    assert (oldest["outcome"], oldest["is_published"], oldest["replaced_by"]) == (
        "SUPERSEDED",
        False,
        2,
    )
    assert oldest["is_stored"]
    assert (paged["versions"], rest["versions"], rest["cursor"]) == ([newest], [oldest], None)
    assert read == of_old.stdout.strip() == OLD
    assert tenant.get(f"{path}/pages/1")["text"] == NEW
    assert "SUPERSEDED" in shown.stdout
    assert tenant.send("GET", f"{path}/pages/1", params={"version": 9}).status_code == 404
    assert tenant.send("GET", f"{path}/pages/1", params={"version": 0}).status_code == 400
    stranger = new_tenant()
    for of in ("versions", "pages/1?version=1", "pages/1/picture?version=1"):
        assert stranger.send("GET", f"{path}/{of}").status_code == 404


def test_an_earlier_version_is_drawn_from_its_own_file(tenant: Tenant) -> None:
    """Its boxes too: the page of the new file has no such words."""
    first = tenant.upload(report(), filename="report.pdf", content_type=PDF)
    tenant.outcome(first)
    text = tenant.get(f"/documents/{first}/pages/2")["text"]
    start = text.index("twelve litres")
    places = {"start": start, "end": start + len("twelve litres")}
    path = f"/documents/{first}/pages/2/picture"
    before = tenant.get(path, width=400, **places)

    second = tenant.ingest(report(pages=7), filename="report.pdf", content_type=PDF)
    of_old = tenant.get(path, width=400, version=1, **places)

    assert (second["document_id"], second["version"]) == (first, 2)
    assert before == of_old
    highlight = f"/documents/{first}/pages/2/highlight"
    assert tenant.get(highlight, version=1, **places)["boxes"] == before["boxes"]
    gone = {"version": 1, "start": 0, "end": 0}
    assert tenant.send("GET", f"/documents/{first}/pages/7/picture", params=gone).status_code == 404
    assert tenant.get(f"/documents/{first}/pages/7")["page"] == 7


def test_a_file_that_is_sent_again_unchanged_is_shown_as_it_is(
    tenant: Tenant, stage: Stage
) -> None:
    """It read as one without pages, and no list of what is published had it."""
    first = tenant.ingest(OLD.encode(), filename="hoist.txt", title="Hoist")

    again = tenant.ingest(OLD.encode(), filename="hoist.txt", title="Hoist")

    assert (again["document_id"], again["outcome"]) == (first["document_id"], "DUPLICATE")
    for same in ("state", "pages", "chunks", "embeddings", "title", "published_version", "sha256"):
        assert again[same] == first[same], same
    listed = tenant.get("/documents", state="PUBLISHED")["documents"]
    assert [each["document_id"] for each in listed] == [first["document_id"]]
    given = ["--url", stage.url, "--token", tenant.token]
    shown = CliRunner().invoke(main, ["list", "--state", "PUBLISHED", *given])
    assert "PUBLISHED" in shown.stdout
    assert "DUPLICATE" not in shown.stdout


def test_a_listing_of_chunks_ends_with_the_version_it_began_with(tenant: Tenant) -> None:
    small = {
        "filename": "hoist.txt",
        "chunking": {"profile": "words", "words": 10, "overlap_words": 3},
    }
    document_id = tenant.ingest((f"{OLD} " * 9).encode(), **small)["document_id"]
    path = f"/documents/{document_id}/chunks"
    whole = tenant.get(path)["chunks"]
    first = tenant.get(path, limit=2)

    tenant.ingest((f"{NEW} " * 9).encode(), **small)
    rest = tenant.get(path, cursor=first["cursor"])

    assert first["chunks"] + rest["chunks"] == whole
    assert {each["version"] for each in whole} == {1}
    assert {each["version"] for each in tenant.get(path)["chunks"]} == {2}
