-- The number of a model's partition, which is made if the stage does not know the model.
SELECT ensure_embedding_model(%(model)s);
