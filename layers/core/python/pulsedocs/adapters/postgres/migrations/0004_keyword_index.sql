-- BM25 in plain SQL: array segments, one row per (term, version). Nothing here is a counter:
-- document frequency is the sum of cardinalities that a query reads anyway.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE TABLE posting (
    tenant_id     uuid NOT NULL,
    collection_id uuid NOT NULL,
    term          text COLLATE "C" NOT NULL,
    document_id   uuid NOT NULL,
    version       integer NOT NULL,
    ordinals      integer[] NOT NULL,   -- chunk_index of each chunk that has the term
    tfs           smallint[] NOT NULL,  -- how often, at most 256 (a tsvector keeps no more)
    dls           integer[] NOT NULL,   -- length of that chunk in lexemes
    PRIMARY KEY (tenant_id, collection_id, term, document_id, version),
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
