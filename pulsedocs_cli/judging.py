"""What people say of answers: given, taken back, listed."""

from typing import Any, Final
from uuid import UUID

import click

from pulsedocs.client import PulseDocs
from pulsedocs_cli.connection import on_a_stage
from pulsedocs_cli.parameters import ListsByItself
from pulsedocs_cli.printing import as_json, show_rows, tell

_NOWHERE: Final = "nowhere"
a_trace = click.argument("trace_id")


@click.group(cls=ListsByItself)
def feedback() -> None:
    """Say whether answers helped, or list what was said; `evaluate --from-feedback` asks it."""


@feedback.command("give")
@a_trace
@click.argument("question")
@click.option("--helpful/--wrong", required=True, help="Whether the answer was right.")
@click.option("--reason", default="", help="Why, in words of your own.")
@click.option(
    "--stands",
    "places",
    multiple=True,
    metavar="DOCUMENT[:PAGE]",
    help="Where the right answer is; `nowhere` if no document has it.",
)
@click.option("--collection", help="Else those that were asked.")
@as_json
@on_a_stage
def give(  # noqa: PLR0913 -- one for each option
    stage: PulseDocs,
    *,
    trace_id: str,
    question: str,
    helpful: bool,
    reason: str,
    places: tuple[str, ...],
    collection: str | None,
    as_json: bool,
) -> None:
    """Judge the answer of TRACE_ID to QUESTION; a later word replaces the earlier."""
    kept = stage.give_feedback(
        trace_id,
        question=question,
        helpful=helpful,
        reason=reason,
        expected=[_place(each) for each in places if each != _NOWHERE] if places else None,
        collection=collection,
    )
    line = "kept; evaluations can ask it" if kept["is_question"] else "kept"
    tell(line, kept, as_json=as_json)


@feedback.command("withdraw")
@a_trace
@as_json
@on_a_stage
def withdraw(stage: PulseDocs, *, trace_id: str, as_json: bool) -> None:
    """Take back what you said of an answer."""
    was_there = stage.withdraw_feedback(trace_id)
    tell("withdrawn" if was_there else "there was none", {"was_there": was_there}, as_json=as_json)


@feedback.command("list")
@click.option("--collection", help="Only of questions to this one.")
@as_json
@on_a_stage
def list_feedback(stage: PulseDocs, *, collection: str | None, as_json: bool) -> None:
    """List what people said of answers, newest first."""
    columns = ("changed_at", "verdict", "question", "reason", "user_id", "trace_id")
    show_rows(stage.feedback(collection=collection), columns, as_json=as_json)


def _place(text: str) -> dict[str, Any]:
    document_id, _, page = text.partition(":")
    try:
        place: dict[str, Any] = {"document_id": str(UUID(document_id))}
        return place | ({"page": int(page)} if page else {})
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is no document's id with a page behind a colon", param_hint="--stands"
        ) from None
