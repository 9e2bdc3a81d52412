"""Reads e-books (EPUB 2 and 3): the chapters in their order, each from a page of its own."""

from posixpath import dirname, join, normpath
from urllib.parse import unquote

from pulsedocs.errors import FileUnreadable
from pulsedocs.extraction.archives import open_archive, title_of, xml_of
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.html import html_of, prose_of
from pulsedocs.extraction.prose import Prose, ProseFile

_CONTAINER = "META-INF/container.xml"
_ROOT_FILE = ".//{urn:oasis:names:tc:opendocument:xmlns:container}rootfile"
_OPF = "{http://www.idpf.org/2007/opf}"


def open_epub(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises FileUnreadable, ResourceExhausted, TooMuchText and TooManyPages."""
    with open_archive(body) as archive:
        container = xml_of(archive, _CONTAINER)
        named = None if container is None else container.find(_ROOT_FILE)
        package = "" if named is None else named.get("full-path", "")
        root = xml_of(archive, package)
        if root is None:
            raise FileUnreadable("the e-book does not say which files it is made of")
        # The manifest lists the files in any order; the spine names the chapters in theirs, by id.
        places = {item.get("id"): item.get("href", "") for item in root.iter(f"{_OPF}item")}
        chapters: list[Prose] = []
        for chapter in root.iter(f"{_OPF}itemref"):
            place = unquote(places.get(chapter.get("idref"), ""))
            part = normpath(join(dirname(package), place))
            if part in archive.NameToInfo:
                chapters.append(prose_of(html_of(archive.read(part).decode("utf-8", "replace"))))
        if chapters:
            chapters[0].title = title_of(archive, package)
    return ProseFile(chapters, parser="epub", budgets=budgets)
