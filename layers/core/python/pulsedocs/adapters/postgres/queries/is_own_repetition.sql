-- Whether the document's published version was made from the same bytes in the same way.
SELECT EXISTS (
    SELECT FROM document
    JOIN document_version AS published
        ON published.tenant_id = document.tenant_id
        AND published.document_id = document.document_id
        AND published.version = document.published_version
    JOIN document_version AS mine
        ON mine.tenant_id = document.tenant_id AND mine.document_id = document.document_id
    WHERE document.tenant_id = %(tenant_id)s
        AND document.document_id = %(document_id)s
        AND mine.version = %(version)s
        AND published.version <> mine.version
        AND published.sha256 = mine.sha256
        AND published.pipeline_revision = mine.pipeline_revision
        AND published.chunking = mine.chunking
        AND NOT mine.is_reprocessed);
