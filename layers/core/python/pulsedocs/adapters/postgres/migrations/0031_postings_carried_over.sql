-- The postings of every version in their new form. Questions go on meanwhile; who would write
-- postings waits, gives up after 3 seconds and comes back.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;
SET LOCAL work_mem = '64MB';
LOCK TABLE posting, doc_stats IN SHARE ROW EXCLUSIVE MODE;

DO $$
DECLARE
    tenants uuid[];
    tenant  uuid;
BEGIN
    -- Row security holds for the owner too: who has documents the lister says, the rest goes
    -- tenant by tenant.
    SET LOCAL ROLE pulsedocs_lister;
    SELECT array_agg(DISTINCT tenant_id) INTO tenants FROM document_version;
    SET LOCAL ROLE pulsedocs_owner;
    FOREACH tenant IN ARRAY coalesce(tenants, '{}') LOOP
        PERFORM set_config('app.tenant_id', tenant::text, true);

        INSERT INTO posting_block (tenant_id, shelf, document_id, version, first_index, lengths)
        SELECT tenant, collection.shelf, stats.document_id, stats.version,
               chunk.number / 128 * 128,
               array_agg(coalesce(length.dl, 0)::smallint ORDER BY chunk.number)
        FROM doc_stats AS stats
        JOIN collection
            ON collection.tenant_id = tenant AND collection.collection_id = stats.collection_id
        CROSS JOIN LATERAL generate_series(0, stats.n - 1) AS chunk (number)
        LEFT JOIN (
            SELECT document_id, version, entry.ordinal, max(entry.dl) AS dl
            FROM posting
            CROSS JOIN LATERAL unnest(ordinals, dls) AS entry (ordinal, dl)
            WHERE tenant_id = tenant
            GROUP BY document_id, version, entry.ordinal
        ) AS length
            ON length.document_id = stats.document_id
            AND length.version = stats.version
            AND length.ordinal = chunk.number
        WHERE stats.tenant_id = tenant
        GROUP BY collection.shelf, stats.document_id, stats.version, chunk.number / 128;

        INSERT INTO new_posting (tenant_id, shelf, block, entry, term, others)
        SELECT tenant, posting_block.shelf, posting_block.block, uses.entries[1], posting.term,
               nullif(uses.entries[2:], '{}')
        FROM posting_block
        JOIN posting
            ON posting.tenant_id = tenant
            AND posting.document_id = posting_block.document_id
            AND posting.version = posting_block.version
            AND posting.block = posting_block.first_index / 128
        CROSS JOIN LATERAL (
            SELECT array_agg(entry ORDER BY entry DESC) AS entries
            FROM (
                SELECT (128 * (tf - 1) + ordinal % 128)::smallint AS entry
                FROM unnest(posting.ordinals, posting.tfs) AS use (ordinal, tf)
            ) AS packed
        ) AS uses
        WHERE posting_block.tenant_id = tenant
        ORDER BY posting_block.block, posting.term;
    END LOOP;
END $$;

DROP TABLE posting;
ALTER TABLE new_posting RENAME TO posting;
GRANT SELECT ON posting TO pulsedocs_api, pulsedocs_ingest, pulsedocs_query, pulsedocs_sweep;
GRANT INSERT ON posting TO pulsedocs_ingest;
GRANT DELETE ON posting TO pulsedocs_sweep;

-- Postings one by one, for people and tests: a search reads them packed.
CREATE VIEW posted_word WITH (security_invoker) AS
SELECT posting_block.tenant_id, posting_block.document_id, posting_block.version, posting.term,
       posting_block.first_index + (use.entry & 127) AS chunk_index,
       (use.entry >> 7) + 1 AS tf,
       posting_block.lengths[(use.entry & 127) + 1]::integer AS dl
FROM posting_block
JOIN posting USING (tenant_id, block)
CROSS JOIN LATERAL unnest(array_prepend(posting.entry, posting.others)) AS use (entry);
GRANT SELECT ON posted_word TO pulsedocs_api, pulsedocs_ingest, pulsedocs_query, pulsedocs_sweep;
