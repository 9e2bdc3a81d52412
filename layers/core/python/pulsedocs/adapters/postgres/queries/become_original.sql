-- A version that holds its bytes, unless an earlier one of its own document still does.
UPDATE document_version AS mine
SET is_original = true
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND NOT EXISTS (
        SELECT FROM document_version AS sibling
        WHERE sibling.tenant_id = mine.tenant_id
            AND sibling.document_id = mine.document_id
            AND sibling.version <> mine.version
            AND sibling.sha256 = mine.sha256
            AND sibling.is_original);
