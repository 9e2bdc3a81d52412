"""One hash over everything a reader of a document could see: equal runs have equal digests (I3)."""

import hashlib
from typing import Any
from uuid import UUID

from psycopg import Connection, sql

_PARTS = {
    "document_page": "page_number, outcome, failure_code, label, hidden_characters, raw_text,"
    " raw_headings, cleaned_text, cleaned_headings, offsets",
    "document_chunk": "chunk_id, chunk_index, text, spans, section, tokens, profile, method,"
    " parameters, flags, chunk_hash, content_hash, context_before, context_after",
    "posted_word": "term, chunk_index, tf, dl",
    "doc_stats": "n, total_length",
    "chunk_embedding": "chunk_id, embedding",
    "embedding_failure": "chunk_id, model, code",
}


def version_digest(connection: Connection[Any], tenant_id: UUID, document_id: UUID) -> str:
    """Return the digest of the published version; without one, of nothing."""
    digest = hashlib.sha256()
    for table, columns in _PARTS.items():
        statement = sql.SQL(
            "SELECT row({columns})::text FROM {table} AS part"
            " JOIN document USING (tenant_id, document_id)"
            " WHERE part.tenant_id = %s AND part.document_id = %s"
            " AND part.version = document.published_version ORDER BY 1"
        ).format(
            table=sql.Identifier(table),
            columns=sql.SQL(", ").join(
                sql.Identifier("part", name.strip()) for name in columns.split(",")
            ),
        )
        digest.update(table.encode())
        for (row,) in connection.execute(statement, [tenant_id, document_id]):
            digest.update(row.encode() + b"\n")
    return digest.hexdigest()
