-- Who deleted which documents.
INSERT INTO audit_event (tenant_id, actor, action, object, outcome, detail)
SELECT %(tenant_id)s, %(actor)s, 'delete_document', doomed.document_id::text, 'DELETED',
       jsonb_build_object('receipt_id', doomed.receipt_id)
FROM unnest(%(document_ids)s::uuid[], %(receipt_ids)s::uuid[]) AS doomed (document_id, receipt_id);
