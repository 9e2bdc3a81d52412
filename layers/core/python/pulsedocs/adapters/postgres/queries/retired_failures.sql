-- The refusals of a model that its tenant has retired.
DELETE FROM embedding_failure
USING embedding_model
WHERE embedding_failure.tenant_id = %(tenant_id)s AND embedding_failure.model = %(model)s
    AND embedding_model.tenant_id = embedding_failure.tenant_id
    AND embedding_model.model = embedding_failure.model
    AND embedding_model.state = 'RETIRED';
