-- Whether an execution works on some version of a document, as far as its lease says.
SELECT EXISTS (
    SELECT FROM document_version
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
        AND outcome IS NULL AND lease_until > clock_timestamp());
