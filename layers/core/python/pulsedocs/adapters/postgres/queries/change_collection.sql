-- What a collection chooses for its documents and questions.
UPDATE collection
SET active_model = %(model)s,
    chunk_profile = %(chunk_profile)s,
    retrieval_profile = %(retrieval_profile)s,
    language = %(language)s
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s;
