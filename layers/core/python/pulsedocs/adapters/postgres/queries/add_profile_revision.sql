-- A policy's next revision, in a collection that is locked.
INSERT INTO retrieval_profile (tenant_id, collection_id, name, revision, policy, created_by)
SELECT %(tenant_id)s, %(collection_id)s, %(name)s, coalesce(max(revision), 0) + 1,
       %(policy)s, %(actor)s
FROM retrieval_profile
WHERE tenant_id = %(tenant_id)s AND collection_id = %(collection_id)s AND name = %(name)s
RETURNING revision, created_at;
