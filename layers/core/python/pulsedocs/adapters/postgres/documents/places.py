"""A page as it is stored, for those who look for its words in the file."""

from collections.abc import Sequence
from uuid import UUID

from psycopg.rows import DictRow

from pulsedocs.adapters.postgres.rows import no_document
from pulsedocs.errors import PageNotFound
from pulsedocs.model.highlights import StoredPage
from pulsedocs.model.pages import OffsetMap


def stored_page(
    rows: Sequence[DictRow], *, document_id: UUID, page: int, version: int | None
) -> StoredPage:
    """Read what `retrieval_place` returns: one row for each document, its page or NULLs."""
    if not rows:
        raise no_document(document_id)
    [row] = rows
    if row["parser"] is None:
        message = missing_page(document_id, page, version, is_stored=row["is_stored"])
        raise PageNotFound(message, document_id=str(document_id), page=page)
    return page_in(row)


def missing_page(
    document_id: UUID, page: int, version: int | None, *, is_stored: bool | None
) -> str:
    """Say why a page is not there; `is_stored` is None of a version that never was."""
    if version is None:
        return f"document {document_id} has no page {page}"
    if is_stored is False:
        return f"no text is stored of version {version} of {document_id}"
    return f"document {document_id} has no page {page} of version {version}"


def page_in(row: DictRow) -> StoredPage:
    offsets = offsets_in(row)
    return StoredPage(
        object_version=row["object_version"],
        content_type=row["content_type"],
        parser=row["parser"],
        raw_text=row["raw_text"],
        text=row["raw_text"] if offsets is None else row["cleaned_text"],
        offsets=offsets,
        certainties=tuple(row["certainties"] or ()),
    )


def offsets_in(row: DictRow) -> OffsetMap | None:
    offsets = row["offsets"]
    return offsets and OffsetMap(**{name: tuple(part) for name, part in offsets.items()})
