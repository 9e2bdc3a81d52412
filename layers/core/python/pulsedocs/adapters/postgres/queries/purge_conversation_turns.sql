-- Turns that were written from a deleted document's passages, a bounded number at a time.
DELETE FROM conversation_turn
WHERE (tenant_id, conversation_id, turn) IN (
    SELECT tenant_id, conversation_id, turn
    FROM conversation_turn
    WHERE tenant_id = %(tenant_id)s AND %(document_id)s::uuid = ANY (document_ids)
    LIMIT %(rows)s)
    AND EXISTS (
        SELECT FROM deletion_receipt
        WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s);
