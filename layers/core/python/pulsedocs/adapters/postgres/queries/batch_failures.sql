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
