-- BM25 in plain SQL: array segments, one row per (term, version, block of 128 chunks). Nothing here
-- is a counter: document frequency is the sum of entries that a query reads anyway.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE TABLE posting (
    tenant_id     uuid NOT NULL,
    collection_id uuid NOT NULL,
    term          text COLLATE "C" NOT NULL,
    document_id   uuid NOT NULL,
    version       integer NOT NULL,
    block         integer NOT NULL DEFAULT 0,   -- chunk_index / 128: a row stays below 2 kB
    least_dl      integer NOT NULL DEFAULT 0,   -- no chunk of the row is shorter
    entries       integer GENERATED ALWAYS AS (cardinality(ordinals)) STORED,
    most_tf       smallint GENERATED ALWAYS AS (tfs[cardinality(tfs)]) STORED,
    -- Side by side, the rarest use first: a search that wants 5 or more reads the end only.
    ordinals      integer[] NOT NULL,   -- chunk_index of each chunk that has the term
    tfs           smallint[] NOT NULL,  -- how often, at most 256 (a tsvector keeps no more)
    dls           integer[] NOT NULL,   -- length of that chunk in lexemes
    -- With what bounds the score of a row's chunks, so that rows are passed over unread.
    PRIMARY KEY (tenant_id, collection_id, term, document_id, version, block)
        INCLUDE (entries, most_tf, least_dl),
    FOREIGN KEY (tenant_id, document_id, version)
        REFERENCES document_version (tenant_id, document_id, version) ON DELETE CASCADE,
    CHECK (cardinality(ordinals) >= 1),
    CHECK (cardinality(tfs) = cardinality(ordinals) AND cardinality(dls) = cardinality(ordinals))
);

CREATE INDEX posting_version ON posting (tenant_id, document_id, version);

CREATE TABLE doc_stats (
    tenant_id     uuid NOT NULL,
    collection_id uuid NOT NULL,
    document_id   uuid NOT NULL,
    version       integer NOT NULL,
    n             integer NOT NULL CHECK (n >= 0),
    total_length  bigint NOT NULL CHECK (total_length >= 0),
    PRIMARY KEY (tenant_id, collection_id, document_id, version),
    FOREIGN KEY (tenant_id, document_id, version)
        REFERENCES document_version (tenant_id, document_id, version) ON DELETE CASCADE
);
