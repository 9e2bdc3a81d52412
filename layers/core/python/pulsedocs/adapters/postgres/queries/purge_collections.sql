-- Deleted collections whose last document is gone.
DELETE FROM collection
WHERE tenant_id = %(tenant_id)s AND deleted_at IS NOT NULL
    AND NOT EXISTS (
        SELECT FROM document
        WHERE document.tenant_id = collection.tenant_id
            AND document.collection_id = collection.collection_id);
