"""Reads e-books (EPUB 2 and 3): the chapters in their order, each from a page of its own.

A book that somebody zipped together with the folder it lies in is read from that folder.
"""

import codecs
import re
from posixpath import dirname, join, normpath
from urllib.parse import unquote
from zipfile import ZipFile

from pulsedocs.errors import FileUnreadable
from pulsedocs.extraction.archives import open_archive, title_of, xml_of
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import codec_of
from pulsedocs.extraction.html import prose_of
from pulsedocs.extraction.prose import ProseFile
from pulsedocs.extraction.xhtml import html_of

_CONTAINER = "META-INF/container.xml"
_ROOT_FILE = ".//{urn:oasis:names:tc:opendocument:xmlns:container}rootfile"
_OPF = "{http://www.idpf.org/2007/opf}"
_ENCRYPTION = "META-INF/encryption.xml"
_ENCRYPTED = ".//{http://www.w3.org/2001/04/xmlenc#}CipherReference"
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_DECLARED = re.compile(rb"""<\?xml[^>]{0,100}\bencoding=["']([\w.:-]{1,40})["']""", re.IGNORECASE)


def open_epub(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises FileUnreadable, ResourceExhausted, TooMuchText and TooManyPages."""
    with open_archive(body) as archive:
        folder = _folder_of(archive)
        container = xml_of(archive, f"{folder}{_CONTAINER}")
        named = None if container is None else container.find(_ROOT_FILE)
        package = "" if named is None else f"{folder}{named.get('full-path', '')}"
        root = xml_of(archive, package)
        if root is None:
            raise FileUnreadable("the e-book does not say which files it is made of")
        # The manifest lists the files in any order; the spine names the chapters in theirs, by id.
        places = {item.get("id"): item.get("href", "") for item in root.iter(f"{_OPF}item")}
        parts = [
            normpath(join(dirname(package), unquote(places.get(chapter.get("idref"), ""))))
            for chapter in root.iter(f"{_OPF}itemref")
        ]
        if not _encrypted(archive, folder).isdisjoint(parts):
            raise FileUnreadable("the e-book is protected; upload a copy without DRM")
        chapters = [
            prose_of(html_of(_decoded(archive.read(part))))
            for part in parts
            if part in archive.NameToInfo
        ]
        if chapters:
            chapters[0].title = title_of(archive, package)
    return ProseFile(chapters, parser="epub", budgets=budgets)


def _folder_of(archive: ZipFile) -> str:
    """Return the outermost folder that a book lies in, with its slash; "" of a proper one.

    Raises FileUnreadable for books beside each other.
    """
    folders = sorted(
        (
            name.removesuffix(_CONTAINER)
            for name in archive.NameToInfo
            if f"/{name}".endswith(f"/{_CONTAINER}")
        ),
        key=_depth,
    )
    if len(folders) > 1 and _depth(folders[0]) == _depth(folders[1]):
        raise FileUnreadable("the file holds several e-books; upload each by itself")
    return folders[0] if folders else ""


def _depth(folder: str) -> int:
    return folder.count("/")


def _encrypted(archive: ZipFile, folder: str) -> frozenset[str]:
    """Return the parts that only some readers can open; of many books these are fonts alone."""
    root = xml_of(archive, f"{folder}{_ENCRYPTION}")
    found = () if root is None else root.iterfind(_ENCRYPTED)
    return frozenset(normpath(f"{folder}{unquote(each.get('URI', ''))}") for each in found)


def _decoded(chapter: bytes) -> str:
    """Return the text of a chapter in the encoding that it begins with or declares."""
    for mark, encoding in _MARKS.items():
        if chapter.startswith(mark):
            return chapter.removeprefix(mark).decode(encoding, "replace")
    declared = _DECLARED.match(chapter)
    codec = codec_of(declared[1].decode()) if declared else None
    return chapter.decode(codec or "utf-8", "replace")
