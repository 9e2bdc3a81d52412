-- name: ask_receipt
-- A deletion for which a client wants its own copy looked for.
UPDATE deletion_receipt
SET asked = %(sample)s, searched = NULL
WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s
RETURNING receipt_id;


-- name: delete_documents
-- Documents that no query finds from now on, and whose sources are free.
UPDATE document
SET deleted_at = clock_timestamp(),
    updated_at = clock_timestamp(),
    published_version = NULL,
    published_at = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)s::uuid[]);


-- name: end_deleted_versions
-- All versions of documents that are deleted; no run may write to them any more.
UPDATE document_version
SET outcome = 'DELETED', fence = fence + 1, lease_until = NULL, lease_holder = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)s::uuid[])
    AND outcome IS DISTINCT FROM 'DELETED'
RETURNING document_id, version;


-- name: known_receipts
-- Receipts that this very request has written, should it be asked a second time.
SELECT receipt_id
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND receipt_id = ANY(%(receipt_ids)s::uuid[])
ORDER BY receipt_id;


-- name: lock_documents
-- Documents that exist, locked in the order of their ids.
SELECT document_id
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)s::uuid[])
    AND deleted_at IS NULL
ORDER BY document_id
FOR UPDATE;


-- name: receipt
-- One deletion: what there was, what is left, and how that was made sure of.
SELECT receipt_id, document_id, requested_at, requested_by, completed_at, before, after,
       verification, asked IS NOT NULL AS is_verifying
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s;


-- name: record_deletions
-- Who deleted which documents.
INSERT INTO audit_event (tenant_id, actor, action, object, outcome, detail)
SELECT %(tenant_id)s, %(actor)s, 'delete_document', doomed.document_id::text, 'DELETED',
       jsonb_build_object('receipt_id', doomed.receipt_id)
FROM unnest(%(document_ids)s::uuid[], %(receipt_ids)s::uuid[]) AS doomed (document_id, receipt_id);


-- name: write_receipts
-- A receipt for each document that is about to be deleted, with what there is of it now.
INSERT INTO deletion_receipt (
    tenant_id, receipt_id, document_id, requested_by, user_id, before)
SELECT %(tenant_id)s, receipt_id, doomed.document_id, %(actor)s,
       (SELECT metadata ->> 'user_id' FROM document AS owned
        WHERE owned.tenant_id = %(tenant_id)s AND owned.document_id = doomed.document_id),
       jsonb_build_object(
           'versions', (SELECT count(*) FROM document_version AS part
                        WHERE part.tenant_id = %(tenant_id)s
                            AND part.document_id = doomed.document_id),
           'pages', (SELECT count(*) FROM document_page AS part
                     WHERE part.tenant_id = %(tenant_id)s
                         AND part.document_id = doomed.document_id),
           'chunks', (SELECT count(*) FROM document_chunk AS part
                      WHERE part.tenant_id = %(tenant_id)s
                          AND part.document_id = doomed.document_id),
           'embeddings', (SELECT count(*) FROM chunk_embedding AS part
                          WHERE part.tenant_id = %(tenant_id)s
                              AND part.document_id = doomed.document_id),
           -- Of those that are shared, as many as there were: to count them takes 0.1 s.
           'postings', (SELECT coalesce(sum(held.postings), 0) FROM posting_block AS part
                        CROSS JOIN LATERAL (
                            SELECT CASE WHEN part.segment IS NOT NULL THEN part.postings
                                        ELSE count(*) END AS postings
                            FROM posting
                            WHERE posting.tenant_id = part.tenant_id AND posting.block = part.block
                            OFFSET 0) AS held
                        WHERE part.tenant_id = %(tenant_id)s
                            AND part.document_id = doomed.document_id))
FROM unnest(%(document_ids)s::uuid[], %(receipt_ids)s::uuid[]) AS doomed (document_id, receipt_id);
