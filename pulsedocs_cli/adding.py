"""Adds files and folders, says how far each is, and goes on with what changes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from pulsedocs.client import DocumentInput, PulseDocs
from pulsedocs.client.results import result_of
from pulsedocs.extraction.encoding import codec_of
from pulsedocs.model.plurals import counted
from pulsedocs_cli.connection import on_a_stage
from pulsedocs_cli.folders import documents_at
from pulsedocs_cli.parameters import in_a_collection, json_object
from pulsedocs_cli.printing import as_json, prints_json, say, show, show_line

_NAMED = 5  # files that are left out, by name; the others are counted
_BEAT_MS = 1000  # until a watch says that it has begun, though nothing has changed
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


def _known_encoding(_: click.Context, __: click.Parameter, label: str | None) -> str | None:
    if label is not None and codec_of(label) is None:
        raise click.BadParameter(f"{label!r} is none that browsers know; UTF-8 needs none")
    return label


def _in_encoding(documents: Sequence[DocumentInput], label: str | None) -> list[DocumentInput]:
    """Return documents of which each text says what it is in."""
    return [
        replace(one, content_type=f"{one.type}; charset={label}")
        if label is not None and one.type.startswith("text/")
        else one
        for one in documents
    ]


@click.command()
@click.argument("paths", type=a_path, nargs=-1, required=True)
@_choosing
@click.option(
    "--encoding",
    callback=_known_encoding,
    help="What texts are in that are not UTF-8: windows-1251, Shift_JIS.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Then go on: add what changes, until Ctrl-C. With --json, a line a document.",
)
@as_json
@on_a_stage
def add(
    stage: PulseDocs,
    *,
    paths: tuple[Path, ...],
    encoding: str | None,
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
    for path in paths:
        if not (path.is_file() or path.is_dir()):  # a pipe, a device: nothing that is read twice
            raise click.UsageError(f"{path} is neither a file nor a folder: save it to a file")
    documents, passed_over = documents_at(paths)
    if options["title"] is not None and len(documents) != 1:
        raise click.UsageError(f"--title names one file, and these are {len(documents)}")
    if passed_over:
        names = ", ".join(path.name for path in passed_over[:_NAMED])
        more = ", …" if len(passed_over) > _NAMED else ""
        files = counted(len(passed_over), "file")
        say(f"left out, of kinds not read: {files} ({names}{more})", err=True)
    if not documents:
        say("nothing to add: no file of a kind that is read", err=True)
    known = _stamps(documents)
    tell = partial(_tell_as_json, in_lines=watch) if as_json else partial(_tell, stage)
    is_whole = _add(stage, _in_encoding(documents, encoding), options, tell)
    if watch:
        say("watching; Ctrl-C ends it", err=True)
        for changed in _changes(paths, known):
            _add(stage, _in_encoding(changed, encoding), options, tell)
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
    tell: Callable[[Iterable[Mapping[str, Any]]], None],
) -> bool:
    added = stage.add_documents(documents, on_progress=_Steps(), with_chunks=False, **options)
    tell(added.documents.values())
    for error in added.errors:
        say(f"error: {error}", err=True)
    return added.success


def _tell_as_json(statuses: Iterable[Mapping[str, Any]], *, in_lines: bool) -> None:
    """Print a list, or where more may follow a line for each."""
    if not in_lines:
        show(list(statuses))
        return
    for status in statuses:
        show_line(status)


def _tell(stage: PulseDocs, statuses: Iterable[Mapping[str, Any]]) -> None:
    for status in statuses:
        outcome = status["outcome"] or status["state"] or "UNKNOWN"
        say(f"{status['document_id']}  {outcome:<10} {status['source']}")
        if outcome == "PUBLISHED" and status["version"] > 1:
            for each in stage.versions(UUID(status["document_id"])):
                if each["replaced_by"] == status["version"]:
                    say(f"{status['source']}: replaces its version {each['version']}", err=True)
        for warning in status["warnings"]:
            say(f"{status['source']}: warning: {warning}", err=True)


class _Steps:
    """Says on standard error each step that a document has come through."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}

    def __call__(self, status: Mapping[str, Any]) -> None:
        reached = status["outcome"] or status["state"]
        if self._said.get(status["document_id"]) != reached:
            self._said[status["document_id"]] = reached
            say(f"{status['source']}: {reached.lower()}", err=True)


def _changes(
    paths: Sequence[Path], known: Mapping[Path, tuple[int, int]]
) -> Iterator[list[DocumentInput]]:
    """Yield the documents at some paths that are new or not as they were known.

    All are listed again when the watch has begun, since what changed before it told nothing, and on
    any change: of a folder that is moved in, its own path is all that is told.
    """
    from watchfiles import watch  # noqa: PLC0415 -- loads a library of threads for one option

    beats = watch(*paths, rust_timeout=_BEAT_MS, yield_on_timeout=True, raise_interrupt=False)
    if next(beats, None) is None:
        return
    for _ in chain([None], filter(None, beats)):
        documents, _ = documents_at(paths)
        now = _stamps(documents)
        changed = now.items() - known.items()
        known = now
        if changed:
            places = {path for path, _ in changed}
            yield [one for one in documents if one.source in places]


def _stamps(documents: Iterable[DocumentInput]) -> dict[Path, tuple[int, int]]:
    """Return what tells a changed file, of each that is still there."""
    stamps: dict[Path, tuple[int, int]] = {}
    for one in documents:
        if isinstance(one.source, Path):
            with suppress(FileNotFoundError):  # an editor may have taken it away again
                found = one.source.stat()
                stamps[one.source] = found.st_mtime_ns, found.st_size
    return stamps
