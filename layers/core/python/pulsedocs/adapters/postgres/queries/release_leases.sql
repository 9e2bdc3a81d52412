-- Versions that an ended execution had in hand, free at once for whoever goes on with them.
UPDATE document_version AS held
SET lease_until = clock_timestamp()
FROM batch_item AS item
WHERE item.tenant_id = %(tenant_id)s AND item.batch_id = %(batch_id)s
    AND held.tenant_id = item.tenant_id AND held.document_id = item.document_id
    AND held.version = item.version
    AND held.outcome IS NULL AND held.lease_holder = %(holder)s
    AND held.lease_until > clock_timestamp();
