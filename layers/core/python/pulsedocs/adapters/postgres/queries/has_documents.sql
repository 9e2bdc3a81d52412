-- Whether a collection has documents that were not deleted.
SELECT EXISTS (
    SELECT FROM document
    WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s AND deleted_at IS NULL);
