"""Announce a document: a row, and a form that lets exactly these bytes be uploaded."""

from dataclasses import dataclass, replace
from uuid import UUID

from pulsedocs.chunking import profile_named
from pulsedocs.documents.ports import DocumentCatalogue
from pulsedocs.errors import FileEmpty, FileTooLarge, InvalidRequest
from pulsedocs.extraction import format_of
from pulsedocs.model.content_types import in_charset_of, kind_of
from pulsedocs.model.documents import Registration, UploadForm
from pulsedocs.model.object_keys import open_marker_key, upload_key
from pulsedocs.model.plurals import megabytes
from pulsedocs.model.shown import is_shown
from pulsedocs.pipeline import State
from pulsedocs.ports.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Announced:
    document_id: UUID
    version: int
    state: State
    upload: UploadForm
    duplicate_of: UUID | None


def register_document(
    tenant_id: UUID,
    registration: Registration,
    *,
    catalogue: DocumentCatalogue,
    objects: ObjectStore,
    default_model: str,
    max_bytes: int,
) -> Announced:
    """Check what can be checked before the bytes exist, register, and sign the form.

    The form names its version in a signed field, so that two open registrations of one document
    cannot take each other's bytes.
    """
    check_content(registration, max_bytes=max_bytes)
    registration = replace(registration, content_type=_type_of(registration))
    registered = catalogue.register(tenant_id, registration, default_model=default_model)
    if registered.duplicate_of is None:
        # The sweep finds by it what stops from here on, an upload without an event included.
        objects.write(open_marker_key(tenant_id, registered.document_id), b"{}")
    document_id, version = registered.document_id, registered.version
    return Announced(
        document_id=document_id,
        version=version,
        state=State.UPLOADED,
        upload=sign_form(tenant_id, registration, document_id, version, objects=objects),
        duplicate_of=registered.duplicate_of,
    )


def sign_form(
    tenant_id: UUID,
    registration: Registration,
    document_id: UUID,
    version: int,
    *,
    objects: ObjectStore,
) -> UploadForm:
    """Sign the form that takes the bytes of a registered version, for minutes."""
    return objects.presign_upload(
        upload_key(tenant_id, document_id),
        content_type=_type_of(registration),
        max_bytes=registration.size,
        sha256=registration.sha256,
        fields={"x-amz-meta-version": str(version)},
    )


def check_registration(registration: Registration, *, max_bytes: int) -> None:
    """Refuse what can be refused before the bytes are read. Raises DocumentRejected and below."""
    check_content(registration, max_bytes=max_bytes)
    _type_of(registration)


def check_content(registration: Registration, *, max_bytes: int) -> None:
    """Check all but the type, which an address need not say in its path."""
    if not is_shown(registration.source):
        message = "the file name has control characters or is blank"
        raise InvalidRequest(message)
    if registration.size == 0:
        message = f"{registration.source!r} is empty"
        raise FileEmpty(message)
    if registration.size > max_bytes:
        message = f"the file has {megabytes(registration.size)}; {megabytes(max_bytes)} are allowed"
        raise FileTooLarge(message)
    options = dict(registration.options.chunking)
    if options:
        profile_named(str(options.pop("profile", "")), options)


def _type_of(registration: Registration) -> str:
    """Return the type that the file is read as: what a browser says of it is often no help."""
    stated = registration.content_type
    kind = format_of(stated, registration.source)
    name = kind_of(stated) if kind_of(stated) in kind.content_types else kind.content_types[0]
    return in_charset_of(name, stated) if kind.has_one_encoding else name
