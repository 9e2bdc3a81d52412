-- The version of another document that holds the same bytes in the collection.
SELECT original.document_id, original.version,
       original.outcome = 'PUBLISHED' OR original.hold AND original.state = 'EMBEDDED' AS is_done
FROM document_version AS mine
JOIN document_version AS original
    ON original.tenant_id = mine.tenant_id
    AND original.collection_id = mine.collection_id
    AND original.sha256 = mine.sha256
    AND original.is_original
    AND original.document_id <> mine.document_id
WHERE mine.tenant_id = %(tenant_id)s
    AND mine.document_id = %(document_id)s
    AND mine.version = %(version)s;
