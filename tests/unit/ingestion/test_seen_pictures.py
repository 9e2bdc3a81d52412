"""A picture that an engine has read is not read again: by its dots, within one tenant."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

import pytest

from pulsedocs.adapters.memory.object_store import InMemoryObjectStore
from pulsedocs.errors import ProviderThrottled
from pulsedocs.ingestion.claim_upload import ObjectReference
from pulsedocs.ingestion.ports import OpenedFile
from pulsedocs.ingestion.recognise_range import Recognition, recognise_range
from pulsedocs.model.artifacts import decode_pages
from pulsedocs.model.documents import Run
from pulsedocs.model.object_keys import recognised_key, recognised_prefix
from pulsedocs.model.page_ranges import PageRange
from pulsedocs.model.pages import Heading, Page, PageOutcome, PicturePlace

TENANT: Final = UUID(int=1)
OTHER_TENANT: Final = UUID(int=2)
WRITTEN: Final = Page(1, "A page of words.", PageOutcome.TEXT, "pdfium")


def picture(number: int, dots: str) -> Page:
    return Page(number, "", PageOutcome.EMPTY, "pdfium", is_picture=True, drawing=dots)


@dataclass
class File:
    page_count: int
    pages: Iterator[Page]


@dataclass
class Drawer:
    """Implements `PageExtractor`: the pages as they are, with what their pictures are."""

    all_pages: list[Page]

    @contextmanager
    def open(
        self,
        body: bytes,  # noqa: ARG002 -- as the port has it
        *,
        content_type: str,  # noqa: ARG002 -- as the port has it
        first: int = 1,
        last: int | None = None,
    ) -> Generator[OpenedFile]:
        yield File(len(self.all_pages), map(self._read, self.all_pages[first - 1 : last]))

    def _read(self, page: Page) -> Page:
        return page


@dataclass
class Engine(Drawer):
    """Implements `PageExtractor`: notes which pages it is given, and says what is drawn there."""

    asked: list[int] = field(default_factory=list[int])
    throttled_at: int = 0
    fails_at: int = 0

    def _read(self, page: Page) -> Page:
        if page.number == self.throttled_at:
            raise ProviderThrottled("slow down")
        self.asked.append(page.number)
        if page.number == self.fails_at:
            return Page(page.number, "", PageOutcome.FAILED, "engine", failure="FILE_UNREADABLE")
        return Page(
            page.number,
            f"Words of {page.drawing}.",
            PageOutcome.OCR,
            "engine",
            page.label,
            confidence=0.9,
            certainties=(90, 90, 90),
        )


def recognised(
    pages: list[Page],
    objects: InMemoryObjectStore,
    *,
    document: int = 1,
    tenant: UUID = TENANT,
    fence: int = 1,
    name: str = "engine 1",
    engine: Engine | None = None,
) -> tuple[list[str], list[int]]:
    """Return what the pages say, and which of them the engine was asked to read."""
    engine = engine or Engine(pages)
    run = Run(tenant_id=tenant, document_id=UUID(int=document), version=1, fence=fence)
    stored = objects.put("u/file", b"bytes", content_type="application/pdf")
    part = PageRange(1, len(pages))
    recognise_range(
        run,
        ObjectReference(
            key="u/file", version=stored.object_version, content_type="application/pdf", size=5
        ),
        part,
        objects=objects,
        recognition=Recognition(name, Drawer(pages), engine),
        max_bytes=100,
    )
    read = decode_pages(objects.read(recognised_key(run, part)), part)
    return [page.text for page in read], engine.asked


def test_a_picture_beside_other_text_or_other_headings_is_read_again() -> None:
    """Where its words belong, and which sections there are, is kept with them."""
    beside = replace(
        WRITTEN, number=1, drawing="a", pictures=(PicturePlace((0, 0, 9, 9), len(WRITTEN.text)),)
    )
    objects = InMemoryObjectStore()
    recognised([beside], objects)

    again = [
        recognised([page], objects, document=document)[1]
        for document, page in enumerate(
            (
                beside,
                replace(beside, label="iv"),
                replace(beside, text="A page of other words."),
                replace(beside, headings=(Heading(1, "A page", 0),)),
                replace(beside, pictures=(PicturePlace((0, 0, 9, 9), 0),)),
            ),
            start=2,
        )
    ]

    assert again == [[], [], [1], [1], [1]]


BEFORE: Final = [WRITTEN, picture(2, "a"), picture(3, "b")]


def test_of_a_file_with_one_changed_page_only_that_is_read() -> None:
    objects = InMemoryObjectStore()
    recognised(BEFORE, objects)

    texts, asked = recognised(
        [WRITTEN, picture(2, "a"), picture(3, "c"), replace(picture(4, "b"), label="iv")],
        objects,
        fence=2,
    )

    assert texts == [WRITTEN.text, "Words of a.", "Words of c.", "Words of b."]
    assert asked == [3]


def test_another_document_of_the_tenant_has_what_was_read_and_keeps_it() -> None:
    objects = InMemoryObjectStore()
    recognised(BEFORE, objects, document=1)
    first = recognised(BEFORE, objects, document=2)
    for listed in objects.list_objects(recognised_prefix(TENANT, UUID(int=1))):
        objects.remove(listed.key)

    again = recognised(BEFORE, objects, document=2, fence=2)

    assert first == again == ([WRITTEN.text, "Words of a.", "Words of b."], [])


@pytest.mark.parametrize(
    ("tenant", "name", "page"),
    [
        (OTHER_TENANT, "engine 1", picture(1, "a")),
        (TENANT, "engine 2", picture(1, "a")),
        (TENANT, "engine 1", replace(picture(1, "a"), text="Stamp", outcome=PageOutcome.TEXT)),
    ],
    ids=["tenant", "engine", "stamp"],
)
def test_another_tenant_engine_or_text_beside_the_picture_is_read_anew(
    tenant: UUID, name: str, page: Page
) -> None:
    objects = InMemoryObjectStore()
    recognised([picture(1, "a")], objects)

    _, asked = recognised([page], objects, tenant=tenant, name=name, document=2)

    assert asked == [1]


def test_a_range_that_is_tried_again_goes_on_where_it_stopped() -> None:
    objects = InMemoryObjectStore()
    pages = [picture(1, "a"), picture(2, "b"), picture(3, "c")]
    with pytest.raises(ProviderThrottled):
        recognised(pages, objects, engine=Engine(pages, throttled_at=3))

    texts, asked = recognised(pages, objects)

    assert (len(texts), asked) == (3, [3])


def test_what_an_earlier_release_kept_in_another_form_is_read_anew() -> None:
    objects = InMemoryObjectStore()
    recognised(BEFORE, objects)
    for listed in objects.list_objects(recognised_prefix(TENANT, UUID(int=1))):
        objects.write(listed.key, b'{"form": "of another release"}')

    assert recognised(BEFORE, objects, fence=2)[1] == [2, 3]


def test_a_page_that_failed_is_tried_again() -> None:
    objects = InMemoryObjectStore()
    pages = [picture(1, "a")]
    recognised(pages, objects, engine=Engine(pages, fails_at=1))

    _, asked = recognised(pages, objects, fence=2)

    assert asked == [1]


def test_a_picture_that_could_not_be_drawn_is_left_to_the_engine() -> None:
    objects = InMemoryObjectStore()
    undrawn = replace(picture(1, ""), drawing=None)
    written = replace(WRITTEN, number=3)
    died = Page(2, "", PageOutcome.FAILED, "none", failure="RESOURCE_EXHAUSTED")

    for fence in (1, 2):
        _, asked = recognised([undrawn, died, written], objects, fence=fence)
        assert asked == [1, 2]
