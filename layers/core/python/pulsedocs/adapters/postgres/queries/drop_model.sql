-- Whether a model's partition is gone; it stays while any tenant has the model.
SELECT drop_embedding_model(%(model)s);
