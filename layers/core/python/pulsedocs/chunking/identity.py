"""Names a chunk by what it is, so that a second run makes the same rows."""

import hashlib
import json
from uuid import UUID

from pulsedocs.model.chunks import Chunk, IdentifiedChunk
from pulsedocs.pipeline import PIPELINE_REVISION

_VERSION_8 = 8  # RFC 9562: a UUID whose 122 free bits are made by a rule of one's own


def identify(document_id: UUID, object_sha256: bytes, chunk: Chunk) -> IdentifiedChunk:
    """Return the chunk with its hashes and id.

    `chunk_hash` covers text, pages and index: equal text at two places is two chunks.
    `content_hash` covers what is embedded, the text with its context, so that its embedding can
    be used again.
    """
    chunk_hash = _hash(chunk.text, chunk.page_start, chunk.page_end, chunk.index)
    identity = _hash(str(document_id), object_sha256.hex(), PIPELINE_REVISION, chunk_hash.hex())
    number = int.from_bytes(identity[:16], "big")
    number = number & ~(0xF << 76) | _VERSION_8 << 76
    return IdentifiedChunk(
        chunk_id=UUID(int=number & ~(0b11 << 62) | 0b10 << 62),  # 0b10: the variant of RFC 9562
        chunk_hash=chunk_hash,
        content_hash=hashlib.sha256(chunk.indexed_text.encode()).digest(),
        chunk=chunk,
    )


def _hash(*parts: str | int) -> bytes:
    """Hash the parts as a JSON array: no two lists of parts are written alike."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).digest()
