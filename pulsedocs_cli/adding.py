"""Adds files and folders, says how far each is, and goes on with what changes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from pulsedocs.client import DocumentInput, PulseDocs
from pulsedocs.client.results import result_of
from pulsedocs_cli.connection import on_a_stage
from pulsedocs_cli.folders import Folder, documents_at, is_read
from pulsedocs_cli.parameters import in_a_collection, json_object
from pulsedocs_cli.printing import as_json, prints_json, say, show

_NAMED = 5  # files that are left out, by name; the others are counted
a_path = click.Path(path_type=Path, exists=True)


_CHOICES = (
    in_a_collection,
    click.option("--title", help="Of one document; else its own."),
    click.option("--date", "content_date", help="What the text is dated, of each: 2026-11-23."),
    click.option("--metadata", default="{}", callback=json_object, help="JSON for each document."),
    click.option(
        "--on-duplicate",
        type=click.Choice(["skip", "reject", "replace"]),
        default="skip",
        show_default=True,
    ),
    click.option("--profile", help="Chunk profile: semantic, classic or words."),
)


def _choosing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that any document is added with."""
    for option in reversed(_CHOICES):
        command = option(command)
    return command


def _chosen(*, profile: str | None, **options: Any) -> dict[str, Any]:  # noqa: ANN401 -- as below
    return options if profile is None else {**options, "chunking": {"profile": profile}}


@click.command()
@click.argument("paths", type=a_path, nargs=-1, required=True)
@_choosing
@click.option("--watch", is_flag=True, help="Then go on: add what changes, until Ctrl-C.")
@as_json
@on_a_stage
def add(
    stage: PulseDocs,
    *,
    paths: tuple[Path, ...],
    watch: bool,
    as_json: bool,
    **options: Any,  # noqa: ANN401 -- fields of the contract
) -> None:
    """Add files and folders, and wait until each document can be searched.

    Of a folder, what is hidden, of a kind that is not read, or named in its .pulsedocsignore
    (lines as in .gitignore) is left out. Run it again to go on where it was stopped: bytes that
    are there already are not sent again. Exit status 1: a document cannot be searched.
    """
    options = _chosen(**options)
    documents, passed_over = documents_at(paths)
    if options["title"] is not None and len(documents) != 1:
        raise click.UsageError(f"--title names one file, and these are {len(documents)}")
    if passed_over:
        names = ", ".join(path.name for path in passed_over[:_NAMED])
        more = ", …" if len(passed_over) > _NAMED else ""
        say(f"left out, of kinds not read: {len(passed_over)} files ({names}{more})", err=True)
    if not documents:
        say("nothing to add: no file of a kind that is read", err=True)
    is_whole = _add(stage, documents, options, as_json=as_json)
    if watch:
        say("watching; Ctrl-C ends it", err=True)
        for changed in _changes(paths):
            _add(stage, changed, options, as_json=as_json)
    elif not is_whole:
        raise SystemExit(1)


@click.command("add-url")
@click.argument("page")
@_choosing
@prints_json
@on_a_stage
def add_url(stage: PulseDocs, *, page: str, **options: Any) -> None:  # noqa: ANN401 -- as in add
    """Let the stage fetch a web page, and wait until it can be searched.

    Exit status 1: it cannot be searched.
    """
    status = stage.wait(stage.add_url(page, **_chosen(**options)))
    show(status)
    error = result_of(status["source"], status).error
    if error is not None:
        raise click.ClickException(str(error))


def _add(
    stage: PulseDocs,
    documents: Sequence[DocumentInput],
    options: Mapping[str, Any],
    *,
    as_json: bool,
) -> bool:
    added = stage.add_documents(documents, on_progress=_Steps(), **options)
    if as_json:
        show(list(added.documents.values()))
    else:
        for document_id, status in added.documents.items():
            outcome = status["outcome"] or status["state"]
            say(f"{document_id}  {outcome:<10} {status['source']}")
            if status["version"] > 1 and outcome == "PUBLISHED":
                before = status["version"] - 1
                say(f"{status['source']}: replaces its version {before}", err=True)
            for warning in status["warnings"]:
                say(f"{status['source']}: warning: {warning}", err=True)
    for error in added.errors:
        say(f"error: {error}", err=True)
    return added.success


class _Steps:
    """Says on standard error each step that a document has come through."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def __call__(self, status: Mapping[str, Any]) -> None:
        reached = status["outcome"] or status["state"]
        if self._said.get(status["document_id"]) != reached:
            self._said[status["document_id"]] = reached
            say(f"{status['source']}: {reached.lower()}", err=True)


def _changes(paths: Sequence[Path]) -> Iterator[list[DocumentInput]]:
    from watchfiles import Change, watch  # noqa: PLC0415 -- loads a library of threads for one option

    folders = [Folder(path.resolve()) for path in paths if path.is_dir()]
    for changes in watch(*paths, raise_interrupt=False):
        changed = {Path(path).resolve() for change, path in changes if change is not Change.deleted}
        documents = list(_documents_among(changed, folders))
        if documents:
            yield documents


def _documents_among(changed: set[Path], folders: Sequence[Folder]) -> Iterator[DocumentInput]:
    for path in sorted(changed):
        holder = next((folder for folder in folders if path.is_relative_to(folder.root)), None)
        if holder is None:
            if path.is_file():  # an editor may have taken it away again
                yield DocumentInput.file(path)
        elif holder.holds(path) and is_read(path):
            yield holder.document(path)
