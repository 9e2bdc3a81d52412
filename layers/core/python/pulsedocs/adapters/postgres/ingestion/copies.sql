-- name: become_original (kept)
-- A version that is reading its bytes; at most one of a tenant may.
UPDATE document_version
SET is_original = true
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: is_own_repetition (kept)
-- Whether the document's published version was made from the same bytes in the same way.
SELECT EXISTS (
    SELECT FROM document
    JOIN document_version AS published
        ON published.tenant_id = document.tenant_id
        AND published.document_id = document.document_id
        AND published.version = document.published_version
    JOIN document_version AS mine
        ON mine.tenant_id = document.tenant_id AND mine.document_id = document.document_id
    WHERE document.tenant_id = %(tenant_id)s
        AND document.document_id = %(document_id)s
        AND mine.version = %(version)s
        AND published.version <> mine.version
        AND published.sha256 = mine.sha256
        AND published.content_type = mine.content_type
        AND published.pipeline_revision = mine.pipeline_revision
        AND published.chunking = mine.chunking
        AND NOT mine.is_reprocessed);


-- name: name_original (kept)
-- The document whose bytes a version repeats.
UPDATE document_version
SET duplicate_of = %(duplicate_of)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: published_twin
-- Another document of the tenant that shows the same bytes, best one of the same collection; and
-- whether its vectors are those that this version needs.
SELECT twin.document_id,
       twin.collection_id = mine.collection_id AS is_neighbour,
       twin.content_type = mine.content_type AND twin.chunking = mine.chunking
           AND twin.pipeline_revision = mine.pipeline_revision
           AND theirs.active_model = ours.active_model AS is_alike
FROM document_version AS mine
JOIN document_version AS twin
    ON twin.tenant_id = mine.tenant_id
    AND twin.sha256 = mine.sha256
    AND twin.outcome = 'PUBLISHED'
    AND twin.document_id <> mine.document_id
JOIN collection AS ours
    ON ours.tenant_id = mine.tenant_id AND ours.collection_id = mine.collection_id
JOIN collection AS theirs
    ON theirs.tenant_id = twin.tenant_id AND theirs.collection_id = twin.collection_id
WHERE mine.tenant_id = %(tenant_id)s
    AND mine.document_id = %(document_id)s
    AND mine.version = %(version)s
ORDER BY is_neighbour DESC, is_alike DESC, twin.received_at, twin.document_id
LIMIT 1;
