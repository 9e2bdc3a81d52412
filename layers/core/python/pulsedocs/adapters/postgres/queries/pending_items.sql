-- Objects of a batch that are left to do, in the order of their names, behind a given one.
SELECT item.source, item.etag, item.size, item.document_id
FROM batch_item AS item
LEFT JOIN document_version AS became USING (tenant_id, document_id, version)
WHERE item.tenant_id = %(tenant_id)s AND item.batch_id = %(batch_id)s
    AND item.source > %(after)s AND item.outcome IS NULL
    AND (became.version IS NULL
         OR became.outcome IN ('FAILED', 'PARKED')
         OR became.outcome IS NULL AND became.state <> 'EMBEDDED')
ORDER BY item.source
LIMIT %(limit)s;
