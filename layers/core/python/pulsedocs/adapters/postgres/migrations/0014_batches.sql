-- Batches: the objects below a prefix, each with the document version that it became. The rows are
-- the list of what is left to do, so a batch that was interrupted goes on from them.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE TABLE batch (
    tenant_id  uuid NOT NULL,
    batch_id   uuid NOT NULL,
    prefix     text NOT NULL CHECK (length(prefix) BETWEEN 1 AND 1100),
    choices    jsonb NOT NULL CHECK (jsonb_typeof(choices) = 'object'),
    -- The execution that works on it; null while one is asked for.
    holder     text CHECK (length(holder) BETWEEN 1 AND 2048),
    created_at timestamptz NOT NULL DEFAULT now(),
    listed_at  timestamptz,
    ended_at   timestamptz,
    PRIMARY KEY (tenant_id, batch_id)
);

CREATE TABLE batch_item (
    tenant_id   uuid NOT NULL,
    batch_id    uuid NOT NULL,
    source      text NOT NULL COLLATE "C" CHECK (length(source) BETWEEN 1 AND 1100),
    etag        text NOT NULL CHECK (length(etag) BETWEEN 1 AND 128),
    size        bigint NOT NULL CHECK (size >= 0),
    -- What the object became. No foreign key: a purge removes both, each in a statement of its own.
    document_id uuid,
    version     integer CHECK (version >= 1),
    -- Why it became nothing.
    outcome     text CHECK (outcome IN ('REJECTED', 'PARKED', 'FAILED')),
    code        text,
    message     text,
    PRIMARY KEY (tenant_id, batch_id, source),
    FOREIGN KEY (tenant_id, batch_id) REFERENCES batch (tenant_id, batch_id) ON DELETE CASCADE,
    CHECK ((document_id IS NULL) = (version IS NULL)),
    CHECK ((outcome IS NULL) = (code IS NULL) AND (outcome IS NULL) = (message IS NULL)),
    CHECK (outcome IS NULL OR version IS NULL)
);

-- Finds what an unchanged object became in an earlier batch.
CREATE INDEX batch_item_source ON batch_item (tenant_id, source);
CREATE INDEX batch_item_document ON batch_item (tenant_id, document_id)
    WHERE document_id IS NOT NULL;

CALL isolate_tenant_tables();

GRANT SELECT ON batch, batch_item TO pulsedocs_api, pulsedocs_ingest, pulsedocs_sweep;
GRANT INSERT, UPDATE ON batch TO pulsedocs_api;
GRANT UPDATE ON batch_item TO pulsedocs_api;
GRANT UPDATE ON batch TO pulsedocs_ingest;
GRANT INSERT, UPDATE ON batch_item TO pulsedocs_ingest;
GRANT DELETE ON batch_item TO pulsedocs_sweep;
