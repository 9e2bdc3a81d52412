-- name: announcements
-- What waits to be said of these documents, with the versions that may be published yet.
SELECT document_id, version, announced
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = ANY(%(document_ids)s::uuid[])
    AND announced IS NOT NULL
    AND (outcome IS NULL OR outcome IN ('FAILED', 'PARKED'));


-- name: change_announcement
-- What waits with a version, in other words.
UPDATE document_version SET announced = %(announced)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: change_document
-- A document's description; its content stays as it is.
UPDATE document
SET metadata = %(metadata)s,
    title = %(title)s,
    content_date = %(content_date)s,
    updated_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;


-- name: change_metadata
-- Documents with other metadata.
UPDATE document
SET metadata = changed.metadata, updated_at = clock_timestamp()
FROM unnest(%(document_ids)s::uuid[], %(metadata)s::jsonb[]) AS changed (document_id, metadata)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = changed.document_id;


-- name: document_to_describe
-- What may be changed of a document without making it anew, locked.
SELECT metadata, title, content_date
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND deleted_at IS NULL
FOR UPDATE;


-- name: documents_to_update
-- The documents an update is about, locked in the order of their ids: old ones and new ones,
-- and those that the filters match but which stand alone and are kept.
SELECT document.document_id,
       document.document_id = ANY(%(new_ids)s::uuid[]) AS is_new,
       document.metadata,
       document.published_version,
       %(keeps_standalone)s AND document.metadata -> 'is_standalone' = 'true'::jsonb
           AS stands_alone,
       (SELECT count(*) FROM document_chunk
        WHERE document_chunk.tenant_id = document.tenant_id
            AND document_chunk.document_id = document.document_id
            AND document_chunk.version = document.published_version) AS chunks
FROM document
JOIN collection USING (tenant_id, collection_id)
WHERE document.tenant_id = %(tenant_id)s
    AND document.deleted_at IS NULL
    AND (document.document_id = ANY(%(new_ids)s::uuid[])
         OR %(has_targets)s
            AND (%(collection)s::text IS NULL OR collection.name = %(collection)s)
            AND {wanted})
ORDER BY document.document_id
LIMIT %(limit)s
FOR UPDATE OF document;


-- name: newest_version
-- The newest version of a document, by which it is decided whether it waits to be published.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
ORDER BY version DESC
LIMIT 1;


-- name: publish_embedded
-- A version that waited, embedded, for its update and becomes the published one.
UPDATE document_version
SET outcome = 'PUBLISHED'
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: record_update
-- Who changed documents, and what the answer was.
INSERT INTO audit_event (tenant_id, event_id, actor, action, object, outcome, detail)
VALUES (%(tenant_id)s, %(update_id)s, %(actor)s, 'update_documents', %(strategy)s, 'DONE',
        %(detail)s);


-- name: recorded_update
-- What this very request has done, should it be asked a second time.
SELECT detail
FROM audit_event
WHERE tenant_id = %(tenant_id)s AND event_id = %(update_id)s;


-- name: version_chunks
-- How many chunks a version has.
SELECT count(*)
FROM document_chunk
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
