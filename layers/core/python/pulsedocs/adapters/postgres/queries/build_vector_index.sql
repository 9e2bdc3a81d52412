-- Whether this call has indexed a model's vectors.
SELECT build_vector_index(%(model)s);
