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
