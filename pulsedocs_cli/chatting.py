"""A conversation in the terminal: questions that know those before them."""

import sys
from typing import Any
from uuid import UUID

import click

from pulsedocs.client import PulseDocs
from pulsedocs.client.reading import citation_lines
from pulsedocs_cli.connection import on_a_stage
from pulsedocs_cli.parameters import in_a_collection


@click.command()
@in_a_collection
@click.option("--profile", help="Retrieval profile.")
@click.option("--conversation", type=click.UUID, help="Go on with this one.")
@on_a_stage
def chat(
    stage: PulseDocs, *, collection: str, profile: str | None, conversation: UUID | None
) -> None:
    """Ask one question after the other; an empty line or Ctrl-D ends it."""
    talk = stage.chat(conversation, collection=collection, profile=profile)
    while question := _asked():
        for line in talk.stream(question):
            _say(line)
    click.echo(f"pulsedocs chat --conversation {talk.id} goes on with this conversation", err=True)


def _asked() -> str:
    if sys.stdin.isatty():
        click.echo("> ", nl=False)
    return sys.stdin.readline().strip()


def _say(line: dict[str, Any]) -> None:
    match line["type"]:
        case "text":
            click.echo(line["text"], nl=False)
        case "sources":
            click.echo()
            for cited in citation_lines(line["citations"]):
                click.echo(cited)
        case _:
            if (abstained := line["abstained"]) is not None:
                click.echo(f"  {abstained['reason']}: {abstained['detail']}")
            click.echo(f"  trace {line['trace_id']}")
