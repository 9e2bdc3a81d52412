-- name: forget_request
-- An idempotent request that failed and may be sent again.
DELETE FROM idempotency_key
WHERE tenant_id = %(tenant_id)s AND key = %(key)s AND status IS NULL;


-- name: known_request
-- An idempotent request that was seen before; one that ran for longer than it may has died.
SELECT request_hash = %(request_hash)s AS is_same,
       response,
       expires_at < clock_timestamp()
           OR EXISTS (
               SELECT FROM unnest(document_ids) AS quoted (document_id)
               WHERE NOT EXISTS (
                   SELECT FROM document
                   WHERE document.tenant_id = idempotency_key.tenant_id
                       AND document.document_id = quoted.document_id
                       AND document.deleted_at IS NULL)) AS is_expired,
       status IS NULL
           AND created_at < clock_timestamp() - make_interval(secs => %(seconds)s) AS is_abandoned
FROM idempotency_key
WHERE tenant_id = %(tenant_id)s AND key = %(key)s
FOR UPDATE;


-- name: record_response
-- The response of an idempotent request that has ended, unless a document it quotes was deleted.
UPDATE idempotency_key
SET status = %(status)s, response = %(response)s, document_ids = %(document_ids)s
WHERE tenant_id = %(tenant_id)s AND key = %(key)s AND
    -- include: cites_no_deleted_document
;


-- name: restart_request
-- An idempotent request that starts over.
UPDATE idempotency_key
SET request_hash = %(request_hash)s, status = NULL, response = NULL, document_ids = '{}',
    created_at = clock_timestamp(), expires_at = clock_timestamp() + interval '24 hours'
WHERE tenant_id = %(tenant_id)s AND key = %(key)s;


-- name: start_request
-- An idempotent request that starts; no row when its key is known.
INSERT INTO idempotency_key (tenant_id, key, request_hash, expires_at)
VALUES (%(tenant_id)s, %(key)s, %(request_hash)s, clock_timestamp() + interval '24 hours')
ON CONFLICT DO NOTHING
RETURNING key;
