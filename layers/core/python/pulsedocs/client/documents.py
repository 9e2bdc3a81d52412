"""What can be added: a file, a text or bytes, each with metadata and chunking of its own."""

import mimetypes
import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from hashlib import file_digest
from io import BytesIO
from os.path import commonpath
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, Self

from pulsedocs.client.refusals import encoded
from pulsedocs.extraction.encoding import codec_of, is_wide
from pulsedocs.model.documents import composed

_CHARSET: Final = re.compile(r"text/[^;]+;\s*charset\s*=\s*\"?([\w.:-]+)\"?\s*", re.IGNORECASE)
_OWN_TYPES = {".md": "text/markdown", ".markdown": "text/markdown", ".rst": "text/x-rst"}
"""Types that a machine's own table may lack."""


@dataclass(frozen=True, slots=True)
class DocumentInput:
    """One document. `name` is its source: what citations show and versions are told apart by.

    A text that is not UTF-8 is sent as such where its type says what it is in:
    "text/plain; charset=windows-1251".
    """

    source: Path | str | bytes
    source_type: Literal["file", "text", "binary"]
    name: str
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    custom_chunking: Mapping[str, Any] | None = None
    title: str | None = None
    content_type: str | None = None

    @classmethod
    def of(cls, document: "DocumentInput | Path") -> Self:
        """Return a document as it is, a path as the file it names. Raises TypeError for others."""
        if isinstance(document, Path):
            return cls.file(document)
        if not isinstance(document, DocumentInput):  # pyright: ignore[reportUnnecessaryIsInstance] -- typed for those who check types
            kind = type(document).__name__
            message = f"a {kind} may be a path or a text: give Path(...) or DocumentInput.text(...)"
            raise TypeError(message)
        return document  # pyright: ignore[reportReturnType] -- not subclassed

    @classmethod
    def each(cls, documents: "Iterable[DocumentInput | Path]") -> "list[DocumentInput]":
        """Return all as documents, `told_apart`. Raises TypeError for one that is no list."""
        if isinstance(documents, str | bytes | Path | DocumentInput):
            raise TypeError("documents come as a list, also one: [Path(...)]")
        return told_apart([cls.of(document) for document in documents])

    @classmethod
    def file(cls, path: Path, **options: Any) -> Self:  # noqa: ANN401 -- fields of this class
        return cls(path, "file", options.pop("name", path.name), **options)

    @classmethod
    def in_folder(cls, folder: Path, *, ignore: Sequence[str] = ()) -> Iterator[Self]:
        """Yield the files below a folder, in order; a file's name is its path in the folder.

        Left out are hidden files and folders, and what a pattern of `ignore` fits: a name such as
        `*.tmp`, or a path in the folder such as `drafts/*`. Links are not followed out of it.
        Raises NotADirectoryError.
        """
        if not folder.is_dir():
            raise NotADirectoryError(f"{str(folder)!r} is no folder")
        inside = folder.resolve()
        for path in sorted(folder.rglob("*")):
            place = path.relative_to(folder)
            names = {place.as_posix(), *place.parts}
            is_left_out = any(part.startswith(".") for part in place.parts) or any(
                fnmatchcase(name, pattern) for name in names for pattern in ignore
            )
            if path.is_file() and path.resolve().is_relative_to(inside) and not is_left_out:
                yield cls.file(path, name=place.as_posix())

    @classmethod
    def text(cls, text: str, *, name: str, **options: Any) -> Self:  # noqa: ANN401 -- as above
        return cls(text, "text", name, **options)

    @classmethod
    def binary(cls, body: bytes, *, name: str, **options: Any) -> Self:  # noqa: ANN401 -- as above
        return cls(body, "binary", name, **options)

    @property
    def type(self) -> str:
        """Return the content type announced; the service looks at the bytes itself."""
        if self.content_type is not None:
            return self.content_type
        unknown = "text/plain" if self.source_type == "text" else "application/octet-stream"
        return type_of_name(self.name) or unknown

    @property
    def size(self) -> int:
        if isinstance(self.source, Path) and self._codec is None:
            return self.source.stat().st_size
        return len(self._bytes())

    @property
    def sha256(self) -> str:
        """The hash of the bytes: a stage that has them says so before they travel."""
        with self.opened() as body:
            return file_digest(body, "sha256").hexdigest()  # pyright: ignore[reportArgumentType] -- BytesIO too

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        if isinstance(self.source, Path) and self._codec is None:
            with self.source.open("rb") as file:
                yield file
        else:
            yield BytesIO(self._bytes())

    def registration(self) -> dict[str, Any]:
        """Return the fields of `POST /documents` that this document decides."""
        fields: dict[str, Any] = {
            "filename": self.name,
            "content_type": self.type,
            "size": self.size,
            "sha256": self.sha256,
            "title": self.title,
        }
        if self.custom_chunking is not None:
            fields["chunking"] = dict(self.custom_chunking)
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def _codec(self) -> str | None:
        stated = _CHARSET.fullmatch(self.content_type or "")
        return codec_of(stated[1]) if stated else None

    def _bytes(self) -> bytes:
        if isinstance(self.source, str):
            return encoded(self.source)
        body = self.source.read_bytes() if isinstance(self.source, Path) else bytes(self.source)
        return body if self._codec is None else _as_utf8(body, self._codec)


def _as_utf8(body: bytes, codec: str) -> bytes:
    """Return a text that is not UTF-8 as such, and as it is what is not in its encoding either.

    One that begins with the mark of UTF-16 or UTF-32 says itself what it is in.
    """
    if is_wide(body):
        return body
    try:
        body.decode()
    except UnicodeDecodeError:
        with suppress(UnicodeDecodeError):
            return body.decode(codec).encode()
    return body


def type_of_name(name: str) -> str | None:
    """Return the content type that a name says, None for one that no table has."""
    return _OWN_TYPES.get(Path(name).suffix.lower()) or mimetypes.guess_type(name)[0]


def told_apart(documents: Sequence[DocumentInput]) -> list[DocumentInput]:
    """Return documents, of files that have one name each named with the folders above it.

    Else one would be a version of the other. A name that is no end of the file's path was chosen,
    and stays. Raises ValueError for two of one name even so, which as a stage keeps it may be
    written in two ways: they are sent at once, and which of them would serve is a race.
    """
    places: dict[str, set[Path]] = defaultdict(set)
    for one in documents:
        if (place := _implied(one)) is not None:
            places[composed(one.name)].add(place)

    def named(one: DocumentInput) -> DocumentInput:
        place, alike = _implied(one), places[composed(one.name)]
        if place is None or len(alike) == 1:
            return one
        return replace(one, name=place.relative_to(commonpath(alike)).as_posix())

    apart = [named(one) for one in documents]
    first: dict[str, DocumentInput] = {}
    for one in apart:
        other = first.setdefault(composed(one.name), one)
        if _origin(one) != _origin(other):
            both = f"{other.name!a} and {one.name!a}"  # they may look alike
            raise ValueError(f"two documents have one name: {both}; give each its own")
    return apart


def _origin(document: DocumentInput) -> Path | str | bytes:
    """Return what a document is made of: given twice, it is one."""
    source = document.source
    return source.resolve() if isinstance(source, Path) else source


def _implied(document: DocumentInput) -> Path | None:
    """Return the file that a document has its name from."""
    path, name = document.source, Path(document.name)
    if not isinstance(path, Path) or path.parts[-len(name.parts) :] != name.parts:
        return None
    return path.resolve()
