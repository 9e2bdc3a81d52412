"""ZIP archives from unknown senders: Office files and e-books are such, with XML parts."""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from posixpath import dirname, join, normpath
from xml.etree.ElementTree import Element, ParseError
from zipfile import BadZipFile, ZipFile

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from pulsedocs.errors import FileUnreadable, ResourceExhausted
from pulsedocs.extraction.namespaces import DC
from pulsedocs.model.plurals import counted

_MOST_PARTS = 10_000
_MOST_BYTES = 200_000_000  # unpacked; a Word file of 1,000 pages has about 10 MB
_MOST_BYTES_BESIDE = 4_000_000  # of a drawing; a chart of 1,000 values has some 100 kB
_UNREAD = {
    "chart": r"[^/]+/charts/chart(?:Ex)?\d*\.xml",
    "diagram": r"[^/]+/diagrams/data\d*\.xml",
    "embedded file": r"[^/]+/embeddings/[^/]+",
}
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_MEDIA = re.compile(r"[^/]+/media/[^/]+")
_ENCRYPTED = 0x1
_ROOT_RELATIONSHIPS = "_rels/.rels"
_STRICT = re.compile(r"http://purl\.oclc\.org/ooxml/(\w+)/")
_STRICT_IN_BYTES = re.compile(_STRICT.pattern.encode())
_TRANSITIONAL = r"http://schemas.openxmlformats.org/\1/2006/"
"""Names of one thing: programs write the latter, unless a file is saved as Strict Open XML."""


def open_archive(body: bytes) -> ZipFile:
    """Return the archive, without having unpacked anything.

    What a part claims to be is all that is ever unpacked of it. Raises FileUnreadable, and
    ResourceExhausted for a file that swells, such as 10 GB of zeros in 10 MB.
    """
    try:
        archive = ZipFile(BytesIO(body))
    except BadZipFile as error:
        raise FileUnreadable("the file is damaged: its ZIP archive has no directory") from error
    parts = archive.infolist()
    if len(parts) > _MOST_PARTS:
        raise ResourceExhausted(f"the file has {len(parts)} parts; {_MOST_PARTS} are allowed")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > _MOST_BYTES:
        raise ResourceExhausted(
            f"the file holds {unpacked // 1_000_000} MB once it is unpacked; "
            f"{_MOST_BYTES // 1_000_000} are allowed"
        )
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise FileUnreadable("parts of the file have a password")
    return archive


def xml_of(archive: ZipFile, part: str) -> Element | None:
    """Return the root of an XML part, or None without such a part; strict names as transitional.

    Entities are refused: they refer to other files, or grow from a kilobyte to gigabytes.
    """
    if part not in archive.NameToInfo:
        return None
    root = fromstring(archive.read(part))
    for each in root.iter():
        if _STRICT.match(each.tag, 1):
            each.tag = _STRICT.sub(_TRANSITIONAL, each.tag)
        for name in [name for name in each.attrib if _STRICT.match(name, 1)]:
            each.set(_STRICT.sub(_TRANSITIONAL, name), each.attrib.pop(name))
    return root


def xml_beside(archive: ZipFile, part: str) -> Element | None:
    """Return the root of a part without which the text around it is as it was, such as a chart.

    None where it is damaged, or larger than anything that somebody reads.
    """
    found = archive.NameToInfo.get(part)
    if found is None or found.file_size > _MOST_BYTES_BESIDE:
        return None
    try:
        return xml_of(archive, part)
    except (ParseError, DefusedXmlException, BadZipFile, zlib.error):
        return None


def transitional(archive: ZipFile, body: bytes) -> bytes:
    """Return a file for a library that knows the transitional names only, with those."""
    named = archive.read(_ROOT_RELATIONSHIPS) if _ROOT_RELATIONSHIPS in archive.NameToInfo else b""
    if not _STRICT_IN_BYTES.search(named):
        return body
    replacement = _TRANSITIONAL.encode()
    return rewritten(archive, lambda _, content: _STRICT_IN_BYTES.sub(replacement, content))


def rewritten(archive: ZipFile, change: Callable[[str, bytes], bytes]) -> bytes:
    """Return a copy of an archive with what `change` makes of each part, by its name.

    Pictures are empty in it: nobody reads them, and one that is damaged says nothing of the text.
    """
    copy = BytesIO()
    with ZipFile(copy, "w") as changed:
        for part in archive.infolist():
            content = b"" if _MEDIA.fullmatch(part.filename) else archive.read(part)
            changed.writestr(part.filename, change(part.filename, content))
    return copy.getvalue()


def related(archive: ZipFile, part: str) -> Iterator[tuple[Element, str]]:
    """Yield the relationships of a part that stay in the file, and the part that each leads to."""
    folder, _, name = part.rpartition("/")
    root = xml_of(archive, f"{folder}/_rels/{name}.rels")
    for found in () if root is None else root.iter(_RELATIONSHIP):
        if found.get("TargetMode") != "External":
            yield found, normpath(join("/", dirname(part), found.get("Target", "")))[1:]


def unread_parts(parts: Iterable[str]) -> Iterator[str]:
    """Name what an Office file of Microsoft's shows, or carries along, and no reader here reads."""
    distinct = frozenset(parts)
    for kind, pattern in _UNREAD.items():
        if count := sum(re.fullmatch(pattern, part) is not None for part in distinct):
            yield counted(count, kind)


def title_of(archive: ZipFile, part: str) -> str | None:
    """Return the title that an XML part of metadata states as Dublin Core."""
    metadata = xml_of(archive, part)
    stated = None if metadata is None else metadata.findtext(f".//{DC}title")
    return stated.strip() or None if stated else None
