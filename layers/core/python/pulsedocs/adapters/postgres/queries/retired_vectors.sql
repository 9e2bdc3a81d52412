-- Some of the vectors of a model that its tenant has retired.
DELETE FROM chunk_embedding
WHERE (tenant_id, document_id, version, chunk_id, model_id) IN (
    SELECT part.tenant_id, part.document_id, part.version, part.chunk_id, part.model_id
    FROM chunk_embedding AS part
    JOIN stage_model USING (model_id)
    JOIN embedding_model
        ON embedding_model.tenant_id = part.tenant_id
        AND embedding_model.model = stage_model.model
        AND embedding_model.state = 'RETIRED'
    WHERE part.tenant_id = %(tenant_id)s AND stage_model.model = %(model)s
    LIMIT %(rows)s);
