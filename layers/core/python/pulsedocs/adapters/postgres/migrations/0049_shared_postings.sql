-- Documents share postings: the sweep merges those of small documents. Nothing is carried over, so
-- what is written by the version before is found as well.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- One word, which has no shingle: a proof of deletion has nothing to look for in it.
CREATE DOMAIN lexeme AS text COLLATE "C";

CREATE TABLE posting_segment (
    -- Up to 4,096 places of one collection, for chunks that share postings. Whoever changes its
    -- postings holds its row.
    tenant_id uuid NOT NULL,
    segment   integer NOT NULL DEFAULT nextval('block_number'),   -- no block has the same number
    shelf     integer NOT NULL,
    PRIMARY KEY (tenant_id, segment),
    FOREIGN KEY (tenant_id, shelf) REFERENCES collection (tenant_id, shelf) ON DELETE CASCADE
);

CREATE TABLE shared_posting (
    -- One term in one segment. Without a primary key on purpose: it would take as much as the row.
    tenant_id uuid NOT NULL,
    shelf     integer NOT NULL,
    segment   integer NOT NULL,
    -- A use, from the highest bits on: times the term is in the chunk, less 129 (8); the chunk's
    -- place in the segment (12); its length in lexemes, 4,095 at most (12). The most frequent one.
    entry     integer NOT NULL,
    term      lexeme NOT NULL,
    others    integer[],   -- the rest, most frequent first; null where there is one use
    FOREIGN KEY (tenant_id, segment) REFERENCES posting_segment (tenant_id, segment) ON DELETE CASCADE
);
CREATE INDEX shared_posting_term ON shared_posting (tenant_id, shelf, term);
-- Led by no tenant: else it would seem as good as the other to a planner without statistics.
CREATE INDEX shared_posting_of_segment ON shared_posting (segment, tenant_id);

-- Where a block's postings are, once they are merged: its chunks have the places from `first_place`
-- on. Null: the block has postings of its own, or none any more.
ALTER TABLE posting_block
    ADD COLUMN segment integer,
    ADD COLUMN first_place integer CHECK (first_place BETWEEN 0 AND 4095),
    ADD COLUMN postings integer,   -- how many rows it had before
    ADD FOREIGN KEY (tenant_id, segment) REFERENCES posting_segment (tenant_id, segment),
    ADD CHECK (num_nonnulls(segment, first_place) <> 1);
CREATE INDEX posting_block_of_segment ON posting_block (segment, first_place, tenant_id)
    WHERE segment IS NOT NULL;

CALL isolate_tenant_tables();
GRANT SELECT ON posting_segment, shared_posting
TO pulsedocs_api, pulsedocs_ingest, pulsedocs_query, pulsedocs_sweep;
GRANT INSERT, DELETE ON posting_segment, shared_posting TO pulsedocs_sweep;
GRANT UPDATE (segment) ON posting_segment TO pulsedocs_sweep;  -- to lock rows
GRANT UPDATE (segment, first_place, postings) ON posting_block TO pulsedocs_sweep;
GRANT USAGE ON SEQUENCE block_number TO pulsedocs_sweep;

-- Postings one by one, for people and tests: a search reads them packed.
CREATE OR REPLACE VIEW posted_word WITH (security_invoker) AS
SELECT posting_block.tenant_id, posting_block.document_id, posting_block.version, posting.term,
       posting_block.first_index + (use.entry & 127) AS chunk_index,
       (use.entry >> 7) + 1 AS tf,
       posting_block.lengths[(use.entry & 127) + 1]::integer AS dl
FROM posting_block
JOIN posting USING (tenant_id, block)
CROSS JOIN LATERAL unnest(array_prepend(posting.entry, posting.others)) AS use (entry)
UNION ALL
SELECT posting_block.tenant_id, posting_block.document_id, posting_block.version,
       shared_posting.term::text COLLATE "C",
       posting_block.first_index + (use.entry >> 12 & 4095) - posting_block.first_place,
       (use.entry >> 24) + 129,
       use.entry & 4095
FROM posting_block
JOIN shared_posting USING (tenant_id, segment)
CROSS JOIN LATERAL unnest(array_prepend(shared_posting.entry, shared_posting.others)) AS use (entry)
WHERE (use.entry >> 12 & 4095) >= posting_block.first_place
    AND (use.entry >> 12 & 4095)
        < posting_block.first_place + cardinality(posting_block.lengths);

CREATE FUNCTION keep_indexed_blocks() RETURNS trigger
LANGUAGE plpgsql SET search_path = pulsedocs, pg_catalog, pg_temp AS $$
-- A block says whose words a segment has: without it, they would be nobody's.
BEGIN
    RAISE EXCEPTION 'words of a document are in the index still' USING ERRCODE = 'PD006';
END $$;
CREATE TRIGGER keep_indexed_blocks BEFORE DELETE ON posting_block
    FOR EACH ROW WHEN (old.segment IS NOT NULL) EXECUTE FUNCTION keep_indexed_blocks();

-- Functions of the version before see no shared postings: while a deployment may go on, nothing is
-- merged.
DO $$
BEGIN
    EXECUTE format(
        'CREATE FUNCTION merging_begins() RETURNS timestamptz LANGUAGE sql STABLE'
        ' SET search_path = pulsedocs, pg_catalog, pg_temp RETURN %L::timestamptz',
        now() + interval '1 day');
END $$;
REVOKE ALL ON FUNCTION merging_begins() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION merging_begins() TO pulsedocs_lister;

-- The lister sees which collections have postings.
GRANT USAGE, CREATE ON SCHEMA pulsedocs TO pulsedocs_lister;
GRANT SELECT (tenant_id, collection_id, shelf) ON collection TO pulsedocs_lister;
GRANT SELECT (tenant_id, shelf, documents) ON shelf_size TO pulsedocs_lister;
CREATE POLICY sweep_listing ON collection FOR SELECT TO pulsedocs_lister USING (true);
CREATE POLICY sweep_listing ON shelf_size FOR SELECT TO pulsedocs_lister USING (true);

SET LOCAL ROLE pulsedocs_lister;

CREATE FUNCTION merge_listing(after_tenant uuid, after_subject uuid, at_most integer)
RETURNS TABLE (tenant_id uuid, subject_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pulsedocs, pg_catalog, pg_temp AS $$
-- `subject_id` is a collection, of two published documents or more.
SELECT c.tenant_id, c.collection_id
FROM collection AS c
WHERE (c.tenant_id, c.collection_id) > (after_tenant, after_subject)
    AND now() > merging_begins()
    AND (SELECT sum(s.documents) FROM shelf_size AS s
         WHERE s.tenant_id = c.tenant_id AND s.shelf = c.shelf) > 1
ORDER BY c.tenant_id, c.collection_id
LIMIT least(at_most, 1000);
$$;

REVOKE ALL ON FUNCTION merge_listing(uuid, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION merge_listing(uuid, uuid, integer) TO pulsedocs_sweep;

SET LOCAL ROLE pulsedocs_owner;
REVOKE CREATE ON SCHEMA pulsedocs FROM pulsedocs_lister;
