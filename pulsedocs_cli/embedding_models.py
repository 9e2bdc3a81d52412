"""Commands about the models that texts are embedded with, and how a collection changes over."""

import click

from pulsedocs.client import PulseDocs
from pulsedocs_cli.connection import on_a_stage
from pulsedocs_cli.parameters import ListsByItself
from pulsedocs_cli.printing import as_json, prints_json, show, show_rows, tell

a_model = click.argument("model")
a_collection = click.argument("collection")
of_a_collection = click.option("--collection", help="Only of this collection.")


@click.group(cls=ListsByItself)
def models() -> None:
    """Show and change embedding models; without a command, list them."""


@models.command("list")
@as_json
@on_a_stage
def list_models(stage: PulseDocs, *, as_json: bool) -> None:
    """List the models, and which collections are searched by each."""
    show_rows(stage.models(), ("model", "state", "active_in", "shadow_in"), as_json=as_json)


@models.command("add")
@a_model
@prints_json
@on_a_stage
def register(stage: PulseDocs, *, model: str) -> None:
    """Register PROVIDER:NAME@DIMENSIONS."""
    show(stage.register_model(model))


@models.command()
@a_model
@of_a_collection
@prints_json
@on_a_stage
def coverage(stage: PulseDocs, *, model: str, collection: str | None) -> None:
    """Count what a model has of the chunks."""
    show(stage.coverage(model, collection=collection))


@models.command()
@a_model
@of_a_collection
@as_json
@on_a_stage
def backfill(stage: PulseDocs, *, model: str, collection: str | None, as_json: bool) -> None:
    """Embed what a model lacks; print the backfill's id."""
    backfill_id = stage.backfill(model, collection=collection)
    tell(backfill_id, {"backfill_id": backfill_id}, as_json=as_json)


@models.command()
@a_model
@prints_json
@on_a_stage
def retire(stage: PulseDocs, *, model: str) -> None:
    """Remove a model that no collection is searched by, with its vectors."""
    show(stage.retire_model(model))


@models.command()
@a_collection
@click.option("--to", "to_model", required=True, help="The model to try.")
@prints_json
@on_a_stage
def migrate(stage: PulseDocs, *, collection: str, to_model: str) -> None:
    """Try a model beside the one that a collection is searched by."""
    show(stage.migrate(collection, to_model=to_model))


@models.command()
@a_collection
@prints_json
@on_a_stage
def migration(stage: PulseDocs, *, collection: str) -> None:
    """Show how far a migration is, and how differently the two models order."""
    show(stage.migration(collection))


@models.command()
@a_collection
@prints_json
@on_a_stage
def promote(stage: PulseDocs, *, collection: str) -> None:
    """Search by the model that was tried, from now on."""
    show(stage.promote(collection))


@models.command("roll-back")
@a_collection
@prints_json
@on_a_stage
def roll_back(stage: PulseDocs, *, collection: str) -> None:
    """Search by the former model again."""
    show(stage.roll_back(collection))
