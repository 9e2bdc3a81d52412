"""Conversations in the terminal: led, and found again."""

import sys
from typing import Any
from uuid import UUID

import click

from pulsedocs.client import PulseDocs, RequestRefused
from pulsedocs.client.options import QuestionOptions
from pulsedocs.client.reading import citation_lines, record_lines, refusal_lines
from pulsedocs.errors import NoAnswer
from pulsedocs_cli.connection import on_a_stage, refusal_line
from pulsedocs_cli.parameters import ListsByItself
from pulsedocs_cli.printing import as_json, say, show, show_rows, tell
from pulsedocs_cli.scope import Scope, in_scope

a_conversation = click.argument("conversation_id", type=click.UUID)


@click.command()
@in_scope
@click.option("--profile", help="Retrieval profile.")
@click.option("--conversation", type=click.UUID, help="Go on with this one.")
@on_a_stage
def chat(
    stage: PulseDocs,
    *,
    scope: Scope,
    profile: str | None,
    conversation: UUID | None,
) -> None:
    """Ask one question after the other; an empty line or Ctrl-D ends it.

    A question that is refused ends nothing, but then the command ends with 1.
    """
    talk = stage.chat(conversation, **scope.on(stage) | QuestionOptions(profile=profile))
    is_answered = is_refused = False
    try:
        while question := _asked():
            try:
                for line in talk.stream(question):
                    _say(line)
                is_answered = True
            except (RequestRefused, NoAnswer) as error:
                say(f"Error: {refusal_line(error)}", err=True)
                is_refused = True
    finally:  # also for who leaves by Ctrl-C
        if is_answered:
            told = f"pulsedocs chat --conversation {talk.id} goes on with this conversation"
            say(told, err=True)
    if is_refused:
        raise click.exceptions.Exit(1)


@click.group(cls=ListsByItself)
def conversations() -> None:
    """Find your conversations again; without a command, list them.

    `chat --conversation ID` goes on with one.
    """


@conversations.command("list")
@as_json
@on_a_stage
def list_conversations(stage: PulseDocs, *, as_json: bool) -> None:
    """List yours, the last answered first."""
    columns = ("answered_at", "turns", "title", "conversation_id")
    show_rows(stage.conversations(), columns, as_json=as_json)


@conversations.command("show")
@a_conversation
@as_json
@on_a_stage
def show_conversation(stage: PulseDocs, *, conversation_id: UUID, as_json: bool) -> None:
    """Show what was asked and answered, with the quotes that are still stored."""
    found = stage.conversation(conversation_id)
    if as_json:
        show(found)
        return
    for turn in found["turns"]:
        say(f"> {turn['question']}\n{turn['answer']}")
        for cited in citation_lines(each for each in turn["citations"] if each["quote"]):
            say(cited)


@conversations.command("delete")
@a_conversation
@as_json
@on_a_stage
def delete_conversation(stage: PulseDocs, *, conversation_id: UUID, as_json: bool) -> None:
    """Forget one with all its turns, at once."""
    told = stage.delete_conversation(conversation_id)
    tell(f"deleted {conversation_id}", told, as_json=as_json)


def _asked() -> str:
    if sys.stdin.isatty():
        say("> ", nl=False)
    return sys.stdin.readline().strip()


def _say(line: dict[str, Any]) -> None:
    match line["type"]:
        case "text":
            say(line["text"], nl=False)
        case "sources":
            say()
            for cited in citation_lines(line["citations"]):
                say(cited)
        case _:
            if (abstained := line["abstained"]) is not None:
                for told in refusal_lines(abstained):
                    say(told)
            for recorded in record_lines(line):
                say(recorded)
