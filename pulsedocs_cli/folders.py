"""Which files of a folder are documents: of a kind that is read, neither hidden nor ignored."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

import click
from pathspec import GitIgnoreSpec

from pulsedocs.client import DocumentInput
from pulsedocs.client.documents import told_apart
from pulsedocs.extraction import SUPPORTED_TYPES

IGNORE_FILE: Final = ".pulsedocsignore"
"""Lines as in `.gitignore`, in the folder that is added."""

_EXTENSIONS: Final = frozenset(chain.from_iterable(SUPPORTED_TYPES.values()))


class Folder:
    """Documents are named by their path in the folder: two of one file name stay two."""

    def __init__(self, root: Path) -> None:
        self.root = root
        ignore = root / IGNORE_FILE
        lines = ignore.read_text(encoding="utf-8").splitlines() if ignore.is_file() else []
        self._ignored = GitIgnoreSpec.from_lines(lines)

    def files(self) -> Iterator[Path]:
        """Yield what a person would drag in, in the order of names; links are not followed."""
        return (path for path in sorted(self.root.rglob("*")) if self.holds(path))

    def holds(self, path: Path) -> bool:
        inside = path.relative_to(self.root)
        is_hidden = any(part.startswith(".") for part in inside.parts)
        return (
            not is_hidden
            and path.is_file()
            and not path.is_symlink()
            and not self._ignored.match_file(inside)
        )

    def document(self, path: Path) -> DocumentInput:
        return DocumentInput.file(path, name=path.relative_to(self.root).as_posix())


def is_read(path: Path) -> bool:
    """Say whether files of that name are of a kind that a stage reads."""
    return path.suffix.lower() in _EXTENSIONS


def documents_at(paths: Iterable[Path]) -> tuple[list[DocumentInput], list[Path]]:
    """Return the documents at some paths, and the files of a folder that are of no kind read.

    A file that is named is always a document: the stage says what is wrong with it. Raises
    UsageError for two of one name.
    """
    documents: dict[Path, DocumentInput] = {}
    passed_over: list[Path] = []
    for path in sorted(paths):
        if path.is_file():
            documents[path.resolve()] = DocumentInput.file(path)
            continue
        folder = Folder(path)
        for file in folder.files():
            if is_read(file):
                documents[file.resolve()] = folder.document(file)
            else:
                passed_over.append(file)
    try:
        return told_apart([*documents.values()]), passed_over
    except ValueError as error:  # within one folder, no folder above tells them apart
        raise click.UsageError(str(error)) from error
