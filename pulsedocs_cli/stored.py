"""Commands that show and change what a tenant has stored: documents, collections, batches."""

from collections.abc import Mapping
from itertools import islice
from typing import Any
from uuid import UUID

import click

from pulsedocs.client import PulseDocs
from pulsedocs.client.results import reached
from pulsedocs.pipeline import Outcome, State
from pulsedocs_cli.connection import on_a_stage
from pulsedocs_cli.parameters import (
    ListsByItself,
    ListsWhole,
    a_document,
    filtered,
    json_object,
)
from pulsedocs_cli.printing import as_json, prints_json, say, show, show_rows, tell

a_collection = click.argument("name")
a_batch = click.argument("batch_id", type=click.UUID)
the_model = click.option(
    "--model", help="Such as local:muse@512, of 16 languages; see `pulsedocs models`."
)
the_chunk_profile = click.option("--chunk-profile", help="semantic, classic or words.")
the_retrieval_profile = click.option("--retrieval-profile", help="See `pulsedocs profiles`.")
the_language = click.option("--language", help="Of its texts, such as german; else english.")


@click.command("list")
@click.option("--collection", help="Only this one.")
@click.option(
    "--state",
    type=click.Choice([one.value for one in (*State, *Outcome)], case_sensitive=False),
    help="How far it has come, or how it ended.",
)
@filtered
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True)
@as_json
@on_a_stage
def list_documents(
    stage: PulseDocs,
    *,
    collection: str | None,
    state: str | None,
    filters: Mapping[str, Any] | None,
    limit: int,
    as_json: bool,
) -> None:
    """List documents, newest first."""
    if collection is not None:
        stage.collection(collection)  # one that is mistyped is not an empty one
    found = stage.documents(collection=collection, state=state, filters=filters)
    rows = ({**each, "state": reached(each)} for each in islice(found, limit))
    show_rows(rows, ("document_id", "state", "collection", "source", "title"), as_json=as_json)
    if next(found, None) is not None:
        say(f"these are the newest {limit}: --limit shows more", err=True)


@click.command("show")
@a_document
@click.option("--page", type=click.IntRange(min=1), help="The text of one page.")
@click.option("--version", type=click.IntRange(min=1), help="Of this version, with --page.")
@click.option("--versions", "of_versions", is_flag=True, help="Its versions, a line each.")
@click.option("--chunks", "of_chunks", is_flag=True, help="Its chunks, a line each.")
@as_json
@on_a_stage
def show_document(
    stage: PulseDocs,
    *,
    document_id: UUID,
    page: int | None,
    version: int | None,
    of_versions: bool,
    of_chunks: bool,
    as_json: bool,
) -> None:
    """Show a document's status, the text of a page, its chunks or its versions."""
    if page is not None:
        found = stage.page(document_id, page, version=version)
        show(found) if as_json else say(found["text"])
    elif version is not None:
        raise click.UsageError("--version says of which version a --page is: give both")
    elif of_versions:
        columns = ("version", "outcome", "pages", "replaced_by", "is_stored", "updated_at")
        show_rows(stage.versions(document_id), columns, as_json=as_json)
    elif of_chunks:
        rows = (
            {**each, "pages": ", ".join(map(str, each["metadata"]["pages"]))}
            for each in stage.chunks(document_id)
        )
        show_rows(rows, ("chunk_id", "pages", "content"), as_json=as_json)
    else:
        show(stage.status(document_id))


@click.command()
@a_document
@click.option("--title")
@click.option("--date", "content_date", help="What the text is dated: 2026-11-23.")
@click.option("--metadata", callback=json_object, help="JSON; other keys stay, one with null goes.")
@prints_json
@on_a_stage
def update(stage: PulseDocs, *, document_id: UUID, **changes: object) -> None:
    """Change a document's title, date or metadata; nothing is embedded again."""
    fields = {name: value for name, value in changes.items() if value is not None}
    if not fields:
        raise click.UsageError("nothing to change: give --title, --date or --metadata")
    show(stage.change(document_id, **fields))


@click.group(cls=ListsByItself)
def collections() -> None:
    """Show and change collections; without a command, list them."""


@collections.command("list")
@as_json
@on_a_stage
def list_collections(stage: PulseDocs, *, as_json: bool) -> None:
    """List the collections, with what each chooses."""
    columns = ("name", "model", "chunk_profile", "retrieval_profile", "language")
    show_rows(stage.collections(), columns, as_json=as_json)


@collections.command("create")
@a_collection
@the_model
@the_chunk_profile
@the_retrieval_profile
@the_language
@prints_json
@on_a_stage
def create_collection(stage: PulseDocs, *, name: str, **choices: str | None) -> None:
    """Make an empty collection; what is left out is the stage's choice."""
    show(stage.create_collection(name, **_given(choices)))  # pyright: ignore[reportArgumentType] -- click has made them fit


@collections.command("change")
@a_collection
@the_model
@the_chunk_profile
@the_retrieval_profile
@the_language
@prints_json
@on_a_stage
def change_collection(stage: PulseDocs, *, name: str, **choices: str | None) -> None:
    """Change what a collection chooses; its model and language only while it is empty."""
    show(stage.change_collection(name, **_given(choices)))  # pyright: ignore[reportArgumentType] -- as above


@collections.command("delete")
@a_collection
@click.option("--cascade", is_flag=True, help="With its documents.")
@as_json
@on_a_stage
def delete_collection(stage: PulseDocs, *, name: str, cascade: bool, as_json: bool) -> None:
    """Delete a collection; print the receipts of its documents."""
    receipts = stage.delete_collection(name, cascade=cascade)
    if as_json:
        show({"receipt_ids": receipts})
    else:
        for receipt in receipts:
            say(receipt)


@click.group(cls=ListsWhole)
def batch() -> None:
    """Ingest all objects below a prefix of S3."""


@batch.command("add")
@click.argument("s3_prefix")
@click.option("--collection", default="default", show_default=True)
@as_json
@on_a_stage
def add_batch(stage: PulseDocs, *, s3_prefix: str, collection: str, as_json: bool) -> None:
    """Start a batch; print its id."""
    batch_id = stage.add_batch(s3_prefix, collection=collection)
    tell(batch_id, {"batch_id": batch_id}, as_json=as_json)


@batch.command("show")
@a_batch
@prints_json
@on_a_stage
def show_batch(stage: PulseDocs, *, batch_id: UUID) -> None:
    """Show how far a batch is, and its first failures."""
    show(stage.batch(batch_id))


@batch.command("resume")
@a_batch
@prints_json
@on_a_stage
def resume_batch(stage: PulseDocs, *, batch_id: UUID) -> None:
    """Go on with a batch that stopped."""
    show(stage.resume_batch(batch_id))


@click.command()
@click.option(
    "--by",
    type=click.Choice(["day", "user_id", "method", "source", "model"]),
    default="day",
    show_default=True,
)
@click.option("--from", "since", help="A day of UTC, such as 2026-11-01.")
@click.option("--to", "until", help="The last day.")
@prints_json
@on_a_stage
def usage(stage: PulseDocs, *, by: str, since: str | None, until: str | None) -> None:
    """Show what was spent, and what is stored."""
    show(stage.usage(by=by, since=since, until=until))


def _given(choices: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in choices.items() if value is not None}
