"""Where quoted words stand on the page: asked on one side, measured on the other."""

from dataclasses import replace

from pulsedocs.errors import NoBoxes
from pulsedocs.model.highlights import Highlight, PagePlace
from pulsedocs.model.lookups import PlaceQuery
from pulsedocs.model.object_keys import upload_key
from pulsedocs.ports.objects import ObjectStore
from pulsedocs.questions.ports import BoxFinder, BoxReader, PageLocator


def highlight(
    words: PlaceQuery, *, dots_across: int = 0, locator: PageLocator, finder: BoxFinder
) -> Highlight:
    """Return the boxes of the words, and the page's picture where one is wanted.

    The locator has the database and no file, the finder the file and no database. What the finder
    is asked comes from the locator alone, which looked for the tenant's own document.
    """
    place = locator.place(words)
    return finder.find(replace(place, dots_across=dots_across))


def find_boxes(
    place: PagePlace, *, objects: ObjectStore, reader: BoxReader, max_bytes: int
) -> Highlight:
    """Measure the words in the stored file, whose key is made from the ids, never passed."""
    key = upload_key(place.tenant_id, place.document_id)
    stored = objects.describe(key, object_version=place.object_version)
    if stored.size > max_bytes:
        message = f"the file has {stored.size} bytes; at most {max_bytes} are read"
        raise NoBoxes(message, page=place.page)
    return reader.boxes(objects.read(key, object_version=place.object_version), place)
