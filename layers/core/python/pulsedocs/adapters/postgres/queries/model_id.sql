-- The number that names a model's partition.
SELECT model_id FROM stage_model WHERE model = %(model)s;
