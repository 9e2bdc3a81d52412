-- How many chunks of the scope have a vector of the model; counting stops at a limit.
SELECT count(*) AS embedded
FROM (
    SELECT
    FROM document
    JOIN chunk_embedding
        ON chunk_embedding.tenant_id = document.tenant_id
        AND chunk_embedding.document_id = document.document_id
        AND chunk_embedding.version = document.published_version
    WHERE document.tenant_id = %(tenant_id)s
        AND document.collection_id = ANY(%(collections)s)
        AND chunk_embedding.model_id = %(model_id)s
        AND {wanted}
    LIMIT %(limit)s
) AS counted
