-- A deletion finds what a document has by indexes that hold all it is asked by: to a planner without
-- statistics one column of them was no better than the tenant alone, in another index.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE posting_block
    DROP CONSTRAINT posting_block_of_version,
    ADD CONSTRAINT posting_block_of_version UNIQUE (document_id, tenant_id, version, first_index);

-- Who would write postings waits meanwhile, gives up after 3 seconds and comes back. A row for each
-- block still: the tenant takes no room in the others.
DROP INDEX posting_of_block;
CREATE INDEX posting_of_block ON posting (block, tenant_id);
