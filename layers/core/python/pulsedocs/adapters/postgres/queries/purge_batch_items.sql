-- What batches remember of a deleted document: where its bytes came from.
DELETE FROM batch_item
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;
