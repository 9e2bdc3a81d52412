-- How many objects of a batch have come to which outcome.
SELECT coalesce(item.outcome, became.outcome,
                CASE WHEN became.state = 'EMBEDDED' THEN 'HELD' ELSE 'PENDING' END) AS outcome,
       count(*) AS items
FROM batch_item AS item
LEFT JOIN document_version AS became USING (tenant_id, document_id, version)
WHERE item.tenant_id = %(tenant_id)s AND item.batch_id = %(batch_id)s
GROUP BY 1
ORDER BY 1;
