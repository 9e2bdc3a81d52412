-- A receipt for each document that is about to be deleted, with what there is of it now.
INSERT INTO deletion_receipt (tenant_id, receipt_id, document_id, requested_by, before)
SELECT %(tenant_id)s, receipt_id, doomed.document_id, %(actor)s,
       jsonb_build_object(
           'versions', (SELECT count(*) FROM document_version AS part
                        WHERE part.tenant_id = %(tenant_id)s
                            AND part.document_id = doomed.document_id),
           'pages', (SELECT count(*) FROM document_page AS part
                     WHERE part.tenant_id = %(tenant_id)s
                         AND part.document_id = doomed.document_id),
           'chunks', (SELECT count(*) FROM document_chunk AS part
                      WHERE part.tenant_id = %(tenant_id)s
                          AND part.document_id = doomed.document_id),
           'embeddings', (SELECT count(*) FROM chunk_embedding AS part
                          WHERE part.tenant_id = %(tenant_id)s
                              AND part.document_id = doomed.document_id),
           'postings', (SELECT count(*) FROM posting AS part
                        WHERE part.tenant_id = %(tenant_id)s
                            AND part.document_id = doomed.document_id))
FROM unnest(%(document_ids)s::uuid[], %(receipt_ids)s::uuid[]) AS doomed (document_id, receipt_id);
