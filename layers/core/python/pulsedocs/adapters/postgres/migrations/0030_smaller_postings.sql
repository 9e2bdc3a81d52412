-- Postings that cost a quarter: short numbers for collections and versions, no key of uuids. Rows
-- are carried over in 0031 and 0032: this one locks questions out, so it does little.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- Numbers, not identities: a copy of a tenant's rows keeps what they refer to.
CREATE SEQUENCE shelf_number AS integer;
CREATE SEQUENCE block_number AS integer;
GRANT USAGE ON SEQUENCE shelf_number TO pulsedocs_api, pulsedocs_ingest;
GRANT USAGE ON SEQUENCE block_number TO pulsedocs_ingest;

-- What stands for a collection in its postings: 4 bytes instead of 16, in each row.
ALTER TABLE collection
    ADD COLUMN shelf integer NOT NULL DEFAULT nextval('shelf_number'),
    ADD UNIQUE (tenant_id, shelf);

CREATE TABLE posting_block (
    -- Up to 128 chunks of a version: what its postings refer to by one number.
    tenant_id    uuid NOT NULL,
    block        integer NOT NULL DEFAULT nextval('block_number'),
    shelf        integer NOT NULL,
    document_id  uuid NOT NULL,
    version      integer NOT NULL,
    first_index  integer NOT NULL CHECK (first_index % 128 = 0),
    is_published boolean NOT NULL DEFAULT false,   -- kept by a trigger of `document`
    lengths      smallint[] NOT NULL,              -- of each chunk, in lexemes
    PRIMARY KEY (tenant_id, block),
    UNIQUE (tenant_id, document_id, version, first_index),
    FOREIGN KEY (tenant_id, shelf) REFERENCES collection (tenant_id, shelf),
    FOREIGN KEY (tenant_id, document_id, version)
        REFERENCES document_version (tenant_id, document_id, version) ON DELETE CASCADE,
    CHECK (cardinality(lengths) BETWEEN 1 AND 128)
);

CREATE TABLE new_posting (
    -- One term in one block. Without a primary key on purpose: it would take as much as the row.
    tenant_id uuid NOT NULL,
    shelf     integer NOT NULL,
    block     integer NOT NULL,
    -- A use: 128 * (times the term is in the chunk - 1) + chunk_index % 128; the most frequent one.
    entry     smallint NOT NULL CHECK (entry >= 0),
    term      text COLLATE "C" NOT NULL,
    others    smallint[],   -- the rest, most frequent first; null where there is one use
    FOREIGN KEY (tenant_id, block) REFERENCES posting_block (tenant_id, block) ON DELETE CASCADE
);
-- A term that many blocks have stands in it once, with 6 bytes for each of them.
CREATE INDEX posting_term ON new_posting (tenant_id, shelf, term);
-- Led by no tenant: else it would seem as good as the other to a planner without statistics.
CREATE INDEX posting_of_block ON new_posting (block);

CREATE TABLE shelf_size (
    -- What of a collection is published, in 16 parts: one row would queue up all who publish.
    tenant_id    uuid NOT NULL,
    shelf        integer NOT NULL,
    slot         smallint NOT NULL CHECK (slot BETWEEN 0 AND 15),
    documents    integer NOT NULL,
    chunks       bigint NOT NULL,
    total_length bigint NOT NULL,
    published_at timestamptz NOT NULL,   -- when something was published last
    PRIMARY KEY (tenant_id, shelf, slot),
    FOREIGN KEY (tenant_id, shelf) REFERENCES collection (tenant_id, shelf) ON DELETE CASCADE
);

CALL isolate_tenant_tables();
GRANT SELECT ON posting_block, shelf_size
TO pulsedocs_api, pulsedocs_ingest, pulsedocs_query, pulsedocs_sweep;
GRANT INSERT ON posting_block TO pulsedocs_ingest;
GRANT DELETE ON posting_block TO pulsedocs_sweep;
-- For the trigger, which runs as whoever publishes or deletes.
GRANT UPDATE (is_published) ON posting_block TO pulsedocs_api, pulsedocs_ingest, pulsedocs_sweep;
GRANT INSERT, UPDATE ON shelf_size TO pulsedocs_api, pulsedocs_ingest, pulsedocs_sweep;
