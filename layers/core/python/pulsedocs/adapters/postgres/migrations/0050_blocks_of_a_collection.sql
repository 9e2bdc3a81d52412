-- What to merge is looked for collection by collection: each read the blocks of all its tenant's, and so
-- did the check of whoever deletes one.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- Led by no tenant: else it would seem as good as the primary key to a planner without statistics. Who
-- would write postings waits meanwhile, gives up after 3 seconds and comes back.
CREATE INDEX posting_block_of_shelf ON posting_block (shelf, tenant_id);
