"""The invariants as queries: each returns the rows that break it (RELIABILITY, section 3)."""

from collections.abc import Iterable
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection

_CHECKS: Final[dict[str, LiteralString]] = {
    "I1 the newest accepted upload is the published one": """
        SELECT document_id
        FROM document JOIN document_version AS shown USING (tenant_id, document_id)
        CROSS JOIN LATERAL (
            SELECT max(sequencer) FILTER (WHERE outcome <> 'DUPLICATE') AS sequencer,
                   max(version) FILTER (WHERE outcome <> 'DUPLICATE') AS version,
                   max(upload_order) FILTER (WHERE outcome = 'SUPERSEDED') AS lost,
                   max(upload_order) FILTER (WHERE outcome <> 'SUPERSEDED') AS served
            FROM document_version AS v
            WHERE (v.tenant_id, v.document_id) = (document.tenant_id, document.document_id)
              AND outcome IN ('PUBLISHED', 'SUPERSEDED', 'DUPLICATE')
        ) AS newest
        WHERE tenant_id = %(tenant)s AND shown.version = published_version
          -- A version that a sweep found has no sequencer: its number decides until it has.
          -- A repetition of the published bytes counts: the document has learnt its sequencer.
          AND CASE WHEN shown.upload_order IS NOT NULL THEN newest.lost > newest.served
                   WHEN shown.sequencer IS NULL THEN shown.version < newest.version
                   ELSE greatest(shown.sequencer, latest_sequencer) < newest.sequencer END
    """,
    "I1 a DUPLICATE repeats what its own document shows": """
        SELECT document_id FROM document_version JOIN document USING (tenant_id, document_id)
        WHERE tenant_id = %(tenant)s AND outcome = 'DUPLICATE' AND deleted_at IS NULL
          AND (published_version IS NULL OR duplicate_of IS DISTINCT FROM document_id)
    """,
    "I2 one published version at most, and the pointer names it": """
        SELECT document_id FROM document_version
        JOIN document USING (tenant_id, document_id)
        WHERE tenant_id = %(tenant)s
          AND (outcome = 'PUBLISHED') <> (version IS NOT DISTINCT FROM published_version)
    """,
    "I4 the state is that of the last step in the ledger": """
        SELECT document_id FROM document_version AS v
        WHERE tenant_id = %(tenant)s AND outcome = 'PUBLISHED'
          AND (SELECT count(DISTINCT step) FROM step_ledger AS l
               WHERE (l.tenant_id, l.document_id, l.version)
                   = (v.tenant_id, v.document_id, v.version)
                 AND step IN ('store', 'clean', 'chunk', 'publish')) <> 4
    """,
    "I5 an end is left for DELETED, by a retry, or by a newer publication": """
        SELECT document_id
        FROM document_version,
            LATERAL (SELECT entry ->> 'state' AS left_state,
                            lead(entry ->> 'state') OVER (ORDER BY place) AS entered
                     FROM jsonb_array_elements(history) WITH ORDINALITY AS h (entry, place)) AS s
        WHERE tenant_id = %(tenant)s AND entered IS NOT NULL AND entered <> 'DELETED'
          AND CASE left_state
                WHEN 'PUBLISHED' THEN entered <> 'SUPERSEDED'
                WHEN 'FAILED' THEN entered NOT IN ('RETRIED', 'CANCELLED')
                WHEN 'PARKED' THEN entered NOT IN ('RETRIED', 'CANCELLED')
                ELSE left_state IN (
                    'SUPERSEDED', 'DUPLICATE', 'EMPTY', 'REJECTED', 'CANCELLED', 'DELETED')
              END
    """,
    "I6 every published chunk has one vector or one refusal": """
        SELECT c.chunk_id FROM document_chunk AS c
        JOIN document AS d USING (tenant_id, document_id)
        JOIN collection USING (tenant_id, collection_id)
        JOIN stage_model ON stage_model.model = collection.active_model
        WHERE c.tenant_id = %(tenant)s AND c.version = d.published_version
          AND (SELECT count(*) FROM chunk_embedding AS e
               WHERE (e.tenant_id, e.document_id, e.version, e.chunk_id, e.model_id)
                   = (c.tenant_id, c.document_id, c.version, c.chunk_id, stage_model.model_id))
            + (SELECT count(*) FROM embedding_failure AS f
               WHERE (f.tenant_id, f.document_id, f.version, f.chunk_id, f.model)
                   = (c.tenant_id, c.document_id, c.version, c.chunk_id, collection.active_model))
            <> 1
    """,
    "I8 nothing of a deleted document is published, open or held": """
        SELECT document_id FROM document
        JOIN document_version USING (tenant_id, document_id)
        WHERE tenant_id = %(tenant)s AND deleted_at IS NOT NULL
          AND (published_version IS NOT NULL OR outcome IS DISTINCT FROM 'DELETED'
               OR is_original OR lease_until IS NOT NULL)
    """,
    "I8 every deletion has one receipt, and a complete one no rows": """
        SELECT document_id FROM document AS d
        FULL JOIN deletion_receipt AS r USING (tenant_id, document_id)
        WHERE tenant_id = %(tenant)s
          AND (d.deleted_at IS NOT NULL AND r.receipt_id IS NULL
               OR r.receipt_id IS NOT NULL AND d.tenant_id IS NOT NULL AND d.deleted_at IS NULL
               OR r.completed_at IS NOT NULL AND d.tenant_id IS NOT NULL)
    """,
    "I8 a complete receipt proves it and has forgotten what it looked for": """
        SELECT receipt_id FROM deletion_receipt
        WHERE tenant_id = %(tenant)s AND completed_at IS NOT NULL
          AND (sample IS NOT NULL OR verification IS NULL
               OR (verification ->> 'left')::int <> 0)
    """,
    "I14 no row hangs on a document or chunk that is not there": """
        SELECT e.chunk_id FROM chunk_embedding AS e
        LEFT JOIN document_chunk AS c USING (tenant_id, document_id, version, chunk_id)
        WHERE e.tenant_id = %(tenant)s AND c.chunk_id IS NULL
        UNION ALL
        SELECT part.document_id FROM (
            SELECT tenant_id, document_id FROM document_page
            UNION ALL SELECT tenant_id, document_id FROM document_chunk
            UNION ALL SELECT tenant_id, document_id FROM posting_block
            UNION ALL SELECT tenant_id, document_id FROM doc_stats
            UNION ALL SELECT tenant_id, document_id FROM step_ledger) AS part
        LEFT JOIN document AS d USING (tenant_id, document_id)
        WHERE part.tenant_id = %(tenant)s AND d.source IS NULL
    """,
    "the sizes of collections are what is published": """
        SELECT shelf FROM (
            SELECT shelf, documents, chunks, total_length FROM shelf_size
            WHERE tenant_id = %(tenant)s
            UNION ALL
            SELECT c.shelf, -1, -s.n, -s.total_length
            FROM document AS d
            JOIN collection AS c USING (tenant_id, collection_id)
            JOIN doc_stats AS s
                ON s.tenant_id = d.tenant_id AND s.document_id = d.document_id
                AND s.version = d.published_version
            WHERE d.tenant_id = %(tenant)s) AS size
        GROUP BY shelf
        HAVING sum(documents) <> 0 OR sum(chunks) <> 0 OR sum(total_length) <> 0
    """,
    "words are searched while their version is published": """
        SELECT b.document_id FROM posting_block AS b
        JOIN document AS d USING (tenant_id, document_id)
        WHERE b.tenant_id = %(tenant)s
          AND b.is_published <> (b.version IS NOT DISTINCT FROM d.published_version)
    """,
    "each shared use of a word is of one chunk that has its place": """
        SELECT posting.segment
        FROM shared_posting AS posting
        CROSS JOIN LATERAL unnest(array_prepend(entry, others)) AS use (entry)
        WHERE posting.tenant_id = %(tenant)s
          AND (SELECT count(*) FROM posting_block AS b
               WHERE b.tenant_id = posting.tenant_id AND b.segment = posting.segment
                 AND b.first_place <= (use.entry >> 12 & 4095)
                 AND (use.entry >> 12 & 4095) < b.first_place + cardinality(b.lengths)) <> 1
    """,
    "a block has postings of its own or shares them, never both": """
        SELECT document_id FROM posting_block AS b
        WHERE tenant_id = %(tenant)s AND segment IS NOT NULL
          AND EXISTS (SELECT FROM posting
                      WHERE posting.tenant_id = b.tenant_id AND posting.block = b.block)
    """,
    "what is published has all its words in the index, each once": """
        SELECT b.document_id
        FROM posting_block AS b
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(tf), 0) AS found, count(*) AS uses,
                   count(DISTINCT (term, chunk_index)) AS different
            FROM posted_word AS w
            WHERE w.tenant_id = b.tenant_id AND w.document_id = b.document_id
              AND w.version = b.version
              AND w.chunk_index BETWEEN b.first_index AND b.first_index + cardinality(b.lengths) - 1
        ) AS held
        WHERE b.tenant_id = %(tenant)s AND b.is_published
          AND (held.found <> (SELECT sum(length) FROM unnest(b.lengths) AS length)
               OR held.uses <> held.different)
    """,
    "a segment has one row of a term, with its most frequent use first": """
        SELECT segment FROM shared_posting WHERE tenant_id = %(tenant)s
        GROUP BY segment, term
        HAVING count(*) > 1 OR bool_or(
            array_prepend(entry, others)
            <> ARRAY(SELECT use FROM unnest(array_prepend(entry, others)) AS use ORDER BY use DESC))
    """,
    "a segment is somebody's": """
        SELECT segment FROM posting_segment AS s
        WHERE tenant_id = %(tenant)s
          AND NOT EXISTS (SELECT FROM posting_block AS b
                          WHERE b.tenant_id = s.tenant_id AND b.segment = s.segment)
    """,
    "I7 every received version ended, and holds no lease": """
        SELECT document_id FROM document_version
        WHERE tenant_id = %(tenant)s AND received_at IS NOT NULL AND NOT hold
          AND (outcome IS NULL OR lease_until IS NOT NULL)
    """,
    "I15 what was bought is in the books once per batch": """
        SELECT document_id FROM step_ledger
        WHERE tenant_id = %(tenant)s AND step = 'embed'
        GROUP BY document_id
        HAVING count(*) <> (SELECT count(*) FROM usage
                            WHERE usage.tenant_id = %(tenant)s AND method = 'embed'
                              AND usage.document_id = step_ledger.document_id)
    """,
}


def violations(connection: Connection[Any], tenant_id: UUID) -> list[str]:
    """Return the names of the invariants that a tenant's rows break, once everything has ended."""
    return [
        name
        for name, statement in _CHECKS.items()
        if connection.execute(statement, {"tenant": tenant_id}).fetchone()
    ]


def orphans(connection: Connection[Any], tenant_id: UUID, keys: Iterable[str]) -> list[str]:
    """Return what breaks I14 between bucket and rows: objects that no document has, and markers.

    An open marker means work under way; once everything has ended there is none.
    """
    rows = connection.execute("SELECT document_id FROM document WHERE tenant_id = %s", [tenant_id])
    known = {str(row[0]) for row in rows}
    mine = [key.split("/") for key in keys if f"/{tenant_id}/" in key]
    return sorted(
        {
            f"I14 {parts[0]}/ holds what no document has"
            for parts in mine
            if parts[0] in {"u", "staging", "recognised", "requests"}
            and parts[2] not in {*known, "seen"}  # a note by a picture names no document
        }
        | {"I14 a marker says that work is under way" for parts in mine if parts[0] == "open"}
    )
