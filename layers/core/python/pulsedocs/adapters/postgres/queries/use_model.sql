-- The number of a usable model's partition; the model is not retired while this transaction runs.
SELECT stage_model.model_id
FROM embedding_model
JOIN stage_model USING (model)
WHERE embedding_model.tenant_id = %(tenant_id)s AND embedding_model.model = %(model)s
    AND embedding_model.state = 'READY'
FOR SHARE OF embedding_model;
