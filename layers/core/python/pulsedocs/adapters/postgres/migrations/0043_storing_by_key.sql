-- Ingestion finds every row by its key. A foreign key is checked by a plan that a session makes once: one
-- made while tables were small would go on reading `posting_block` whole, for each of a chunk's 30 postings.
ALTER ROLE pulsedocs_ingest SET enable_seqscan = off;

SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- Led by no tenant: else it would seem as good as the primary key to that check, which would then read
-- all blocks of the tenant.
ALTER TABLE posting_block
    DROP CONSTRAINT posting_block_tenant_id_document_id_version_first_index_key,
    ADD CONSTRAINT posting_block_of_version UNIQUE (document_id, version, first_index, tenant_id);
