-- name: add_batch
-- A batch that nothing has been done for yet.
INSERT INTO batch (tenant_id, batch_id, prefix, choices)
VALUES (%(tenant_id)s, %(batch_id)s, %(prefix)s, %(choices)s);


-- name: batch_counts
-- How many objects of a batch have come to which outcome.
SELECT coalesce(item.outcome, became.outcome,
                CASE WHEN became.state = 'EMBEDDED' THEN 'HELD' ELSE 'PENDING' END) AS outcome,
       count(*) AS items
FROM batch_item AS item
LEFT JOIN document_version AS became USING (tenant_id, document_id, version)
WHERE item.tenant_id = %(tenant_id)s AND item.batch_id = %(batch_id)s
GROUP BY 1
ORDER BY 1;


-- name: batch_failures
-- Objects of a batch that cannot be found in a search, with the reason, behind a given one.
SELECT item.source, item.document_id,
       coalesce(item.code, became.error ->> 'code') AS code,
       coalesce(item.message, became.error ->> 'message') AS message
FROM batch_item AS item
LEFT JOIN document_version AS became USING (tenant_id, document_id, version)
WHERE item.tenant_id = %(tenant_id)s AND item.batch_id = %(batch_id)s
    AND item.source > %(after)s
    AND coalesce(item.outcome, became.outcome) IN ('REJECTED', 'FAILED', 'PARKED')
ORDER BY item.source
LIMIT %(limit)s;


-- name: begin_batch
-- The batch, taken by an execution; no row when another one has it or it has ended.
UPDATE batch
SET holder = %(holder)s
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND ended_at IS NULL
    AND coalesce(holder, %(holder)s) = %(holder)s
RETURNING listed_at IS NOT NULL;


-- name: end_batch
-- The batch that an execution worked on, which has ended.
UPDATE batch
SET ended_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND holder = %(holder)s
    AND ended_at IS NULL;


-- name: end_listing
-- A batch whose objects are all known.
UPDATE batch
SET listed_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND listed_at IS NULL;


-- name: enrol_items
-- Listed objects; one that an earlier batch brought in unchanged stands for what it became then.
INSERT INTO batch_item (tenant_id, batch_id, source, etag, size, document_id, version)
SELECT batch.tenant_id, batch.batch_id, listed.source, listed.etag, listed.size,
       known.document_id, known.version
FROM batch
CROSS JOIN unnest(%(sources)s::text[], %(etags)s::text[], %(sizes)s::bigint[])
    AS listed (source, etag, size)
LEFT JOIN LATERAL (
    SELECT item.document_id, item.version
    FROM batch_item AS item
    JOIN batch AS earlier USING (tenant_id, batch_id)
    JOIN document USING (tenant_id, document_id)
    JOIN document_version AS became USING (tenant_id, document_id, version)
    LEFT JOIN document AS original
        ON original.tenant_id = became.tenant_id AND original.document_id = became.duplicate_of
    WHERE item.tenant_id = %(tenant_id)s
        AND item.source = listed.source AND item.etag = listed.etag AND item.size = listed.size
        AND earlier.choices = batch.choices
        AND document.deleted_at IS NULL AND document.latest_version = item.version
        AND became.pipeline_revision = %(pipeline_revision)s
        AND (became.outcome IN ('PUBLISHED', 'EMPTY', 'REJECTED')
             OR became.outcome = 'DUPLICATE' AND original.published_version IS NOT NULL)
    ORDER BY earlier.created_at DESC
    LIMIT 1
) AS known ON true
WHERE batch.tenant_id = %(tenant_id)s AND batch.batch_id = %(batch_id)s
ON CONFLICT DO NOTHING;


-- name: forget_refusals
-- The objects of a batch that became nothing, to be tried once more.
UPDATE batch_item
SET outcome = NULL, code = NULL, message = NULL
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND outcome IS NOT NULL;


-- name: is_batch
-- Whether there is a batch of this id.
SELECT true
FROM batch
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s;


-- name: pending_items
-- Objects of a batch that are left to do, in the order of their names, behind a given one; or only
-- such as no version stands for, with those among them that failed.
SELECT item.source, item.etag, item.size, item.document_id
FROM batch_item AS item
LEFT JOIN document_version AS became USING (tenant_id, document_id, version)
WHERE item.tenant_id = %(tenant_id)s AND item.batch_id = %(batch_id)s
    AND item.source > %(after)s
    AND (item.outcome IS NULL OR item.outcome = 'FAILED' AND %(only_unbound)s)
    AND (item.version IS NULL OR NOT %(only_unbound)s)
    AND (became.version IS NULL
         OR became.outcome IN ('FAILED', 'PARKED')
         OR became.outcome IS NULL AND became.state <> 'EMBEDDED')
ORDER BY item.source
LIMIT %(limit)s;


-- name: refuse_left
-- Objects of a batch of which nothing came, though its execution went through all of them.
UPDATE batch_item
SET outcome = 'FAILED', code = %(code)s, message = %(message)s
FROM batch
WHERE batch_item.tenant_id = %(tenant_id)s AND batch_item.batch_id = %(batch_id)s
    AND batch_item.version IS NULL AND batch_item.outcome IS NULL
    AND batch.tenant_id = batch_item.tenant_id AND batch.batch_id = batch_item.batch_id
    AND batch.holder = %(holder)s AND batch.ended_at IS NULL;


-- name: refuse_item
-- The object of a batch that became nothing, with the reason.
UPDATE batch_item
SET outcome = %(outcome)s, code = %(code)s, message = %(message)s
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s AND source = %(source)s
    AND version IS NULL;


-- name: release_leases
-- Versions that an ended execution had in hand, free at once for whoever goes on with them.
UPDATE document_version AS held
SET lease_until = clock_timestamp()
FROM batch_item AS item
WHERE item.tenant_id = %(tenant_id)s AND item.batch_id = %(batch_id)s
    AND held.tenant_id = item.tenant_id AND held.document_id = item.document_id
    AND held.version = item.version
    AND held.outcome IS NULL AND held.lease_holder = %(holder)s
    AND held.lease_until > clock_timestamp();


-- name: resume_batch
-- A batch that no execution works on, free for the next one; no row while one does.
UPDATE batch
SET holder = NULL, ended_at = NULL
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s
    AND (holder IS NULL OR ended_at IS NOT NULL)
RETURNING prefix, choices;


-- name: show_batch
-- A batch and how far it has come.
SELECT prefix, holder, created_at, listed_at, ended_at
FROM batch
WHERE tenant_id = %(tenant_id)s AND batch_id = %(batch_id)s;
