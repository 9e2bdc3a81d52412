-- Collections, documents, their versions, pages and chunks: the semantic truth.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE TABLE stage_model (
    -- Models known to the stage; no tenant data. Its id names a partition of chunk_embedding.
    model_id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model      text NOT NULL UNIQUE CHECK (model ~ '^[a-z][a-z0-9_]*:[^@[:space:]]{1,200}@[0-9]+$'),
    dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),  -- HNSW limit of halfvec
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE embedding_model (
    tenant_id     uuid NOT NULL,
    model         text NOT NULL REFERENCES stage_model (model),
    state         text NOT NULL DEFAULT 'ACTIVE'
                  CHECK (state IN ('PROBING', 'ACTIVE', 'SHADOW', 'RETIRED')),
    normaliser    text NOT NULL DEFAULT 'l2' CHECK (normaliser IN ('l2', 'none')),
    registered_at timestamptz NOT NULL DEFAULT now(),
    registered_by text NOT NULL DEFAULT 'system',
    PRIMARY KEY (tenant_id, model)
);

CREATE TABLE collection (
    tenant_id         uuid NOT NULL,
    collection_id     uuid NOT NULL DEFAULT gen_random_uuid(),
    name              text NOT NULL CHECK (length(name) BETWEEN 1 AND 128),
    -- Not regconfig: such a column makes pg_upgrade refuse a new major version. Cast where used.
    language          text NOT NULL DEFAULT 'english' CHECK (language ~ '^[a-z_]{1,63}$'),
    active_model      text NOT NULL,
    chunk_profile     text NOT NULL DEFAULT 'classic',
    retrieval_profile text NOT NULL DEFAULT 'default',
    created_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, collection_id),
    UNIQUE (tenant_id, name),
    FOREIGN KEY (tenant_id, active_model) REFERENCES embedding_model (tenant_id, model)
);

CREATE TABLE document (
    tenant_id         uuid NOT NULL,
    document_id       uuid NOT NULL,
    collection_id     uuid NOT NULL,
    source            text NOT NULL CHECK (length(source) BETWEEN 1 AND 1024),
    title             text CHECK (length(title) <= 1024),
    metadata          jsonb NOT NULL DEFAULT '{}'
                      CHECK (jsonb_typeof(metadata) = 'object'),
    content_date      date,
    latest_version    integer NOT NULL DEFAULT 0,
    latest_sequencer  text COLLATE "C" NOT NULL DEFAULT '',
    published_version integer,
    published_at      timestamptz,
    deleted_at        timestamptz,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id),
    UNIQUE (tenant_id, collection_id, document_id),
    FOREIGN KEY (tenant_id, collection_id) REFERENCES collection (tenant_id, collection_id),
    CHECK ((published_version IS NULL) = (published_at IS NULL)),
    CHECK (deleted_at IS NULL OR published_version IS NULL)
);

-- Within a collection a source names one document: new bytes under it are its next version.
CREATE UNIQUE INDEX document_source ON document (tenant_id, collection_id, source)
    WHERE deleted_at IS NULL;
CREATE INDEX document_listing ON document (tenant_id, created_at, document_id);

CREATE TABLE document_version (
    tenant_id         uuid NOT NULL,
    document_id       uuid NOT NULL,
    version           integer NOT NULL CHECK (version >= 1),
    collection_id     uuid NOT NULL,
    pipeline_revision text NOT NULL,
    object_version    text CHECK (length(object_version) BETWEEN 1 AND 1024),
    -- S3's sequencer, upper-cased and right-padded with zeros: comparable per key only.
    sequencer         text COLLATE "C" CHECK (sequencer ~ '^[0-9A-F]{64}$'),
    content_type      text NOT NULL,
    size              bigint NOT NULL CHECK (size >= 0),
    declared_sha256   bytea CHECK (octet_length(declared_sha256) = 32),
    sha256            bytea CHECK (octet_length(sha256) = 32),
    -- Whether this version holds its bytes in the collection; at most one may (unique below).
    is_original       boolean NOT NULL DEFAULT false,
    duplicate_of      uuid,
    on_duplicate      text NOT NULL DEFAULT 'skip'
                      CHECK (on_duplicate IN ('skip', 'reject', 'replace')),
    duplicate_by      text NOT NULL DEFAULT 'content' CHECK (duplicate_by IN ('content', 'source')),
    hold              boolean NOT NULL DEFAULT false,
    chunking          jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(chunking) = 'object'),
    validate_chunks   boolean NOT NULL DEFAULT true,
    state             text NOT NULL DEFAULT 'UPLOADED'
                      CHECK (state IN ('UPLOADED', 'PROCESSING', 'EXTRACTED', 'CLEANED',
                                       'CHUNKED', 'EMBEDDED')),
    outcome           text
                      CHECK (outcome IN ('PUBLISHED', 'SUPERSEDED', 'DUPLICATE', 'EMPTY',
                                         'REJECTED', 'FAILED', 'PARKED', 'CANCELLED', 'DELETED')),
    error             jsonb CHECK (jsonb_typeof(error) = 'object'),
    warnings          text[] NOT NULL DEFAULT '{}',
    fence             bigint NOT NULL DEFAULT 0 CHECK (fence >= 0),
    lease_until       timestamptz,
    lease_holder      text,
    attempts          integer NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 1000),
    page_count        integer CHECK (page_count >= 0),
    chunk_count       integer CHECK (chunk_count >= 0),
    history           jsonb NOT NULL DEFAULT '[]',
    registered_at     timestamptz NOT NULL DEFAULT now(),
    received_at       timestamptz,
    updated_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id, version),
    UNIQUE (tenant_id, document_id, object_version, pipeline_revision),
    FOREIGN KEY (tenant_id, collection_id, document_id)
        REFERENCES document (tenant_id, collection_id, document_id) ON DELETE CASCADE,
    CHECK (outcome <> 'PUBLISHED' OR state = 'EMBEDDED'),
    CHECK ((received_at IS NULL) = (object_version IS NULL)),
    CHECK (NOT is_original OR sha256 IS NOT NULL),
    CHECK (outcome NOT IN ('REJECTED', 'FAILED', 'PARKED', 'EMPTY') OR error ? 'code')
);

CREATE UNIQUE INDEX document_version_original
    ON document_version (tenant_id, collection_id, sha256) WHERE is_original;
CREATE INDEX document_version_lease
    ON document_version (tenant_id, lease_until) WHERE outcome IS NULL;

ALTER TABLE document ADD FOREIGN KEY (tenant_id, document_id, published_version)
    REFERENCES document_version (tenant_id, document_id, version)
    DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE document_page (
    tenant_id         uuid NOT NULL,
    document_id       uuid NOT NULL,
    version           integer NOT NULL,
    page_number       integer NOT NULL CHECK (page_number BETWEEN 1 AND 100000),
    outcome           text NOT NULL CHECK (outcome IN ('TEXT', 'EMPTY', 'HIDDEN_ONLY', 'FAILED')),
    failure_code      text,
    parser            text NOT NULL,
    label             text CHECK (length(label) <= 200),
    hidden_characters integer NOT NULL DEFAULT 0 CHECK (hidden_characters >= 0),
    raw_text          text NOT NULL CHECK (length(raw_text) <= 200000),
    raw_headings      jsonb NOT NULL DEFAULT '[]',
    cleaned_text      text,
    cleaned_headings  jsonb,
    -- {"cleaned": [...], "raw": [...], "lengths": [...]}: see pulsedocs.model.pages.OffsetMap.
    offsets           jsonb,
    PRIMARY KEY (tenant_id, document_id, version, page_number),
    FOREIGN KEY (tenant_id, document_id, version)
        REFERENCES document_version (tenant_id, document_id, version) ON DELETE CASCADE,
    CHECK ((outcome = 'FAILED') = (failure_code IS NOT NULL))
);

CREATE TABLE document_chunk (
    tenant_id    uuid NOT NULL,
    document_id  uuid NOT NULL,
    version      integer NOT NULL,
    chunk_id     uuid NOT NULL,
    chunk_index  integer NOT NULL CHECK (chunk_index >= 0),
    text         text NOT NULL CHECK (length(text) BETWEEN 1 AND 8000),
    page_start   integer NOT NULL CHECK (page_start >= 1),
    page_end     integer NOT NULL,
    spans        jsonb NOT NULL,        -- [[page, start, end], ...] into cleaned_text
    section      text[] NOT NULL DEFAULT '{}',
    tokens       integer NOT NULL CHECK (tokens >= 0),
    characters   integer NOT NULL CHECK (characters >= 1),
    profile      text NOT NULL,
    method       text NOT NULL,
    parameters   jsonb NOT NULL DEFAULT '{}',
    flags        text[] NOT NULL DEFAULT '{}',
    chunk_hash   bytea NOT NULL CHECK (octet_length(chunk_hash) = 32),
    content_hash bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id, version, chunk_id),
    UNIQUE (tenant_id, document_id, version, chunk_hash),
    UNIQUE (tenant_id, document_id, version, chunk_index),
    FOREIGN KEY (tenant_id, document_id, version)
        REFERENCES document_version (tenant_id, document_id, version) ON DELETE CASCADE,
    CHECK (page_end >= page_start),
    CHECK (characters = length(text))
);

-- Finds the text whose vector can be copied instead of bought.
CREATE INDEX document_chunk_content ON document_chunk (tenant_id, content_hash);

CREATE FUNCTION guard_version() RETURNS trigger
LANGUAGE plpgsql SET search_path = pulsedocs, pg_catalog AS $$
DECLARE
    states CONSTANT text[] := ARRAY[
        'UPLOADED', 'PROCESSING', 'EXTRACTED', 'CLEANED', 'CHUNKED', 'EMBEDDED'];
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF new.state <> 'UPLOADED' OR new.outcome NOT IN ('DUPLICATE') THEN
            RAISE EXCEPTION 'a version starts as UPLOADED, not % %', new.state, new.outcome
                USING ERRCODE = 'PD003';
        END IF;
        new.history := jsonb_build_array(jsonb_build_object(
            'state', coalesce(new.outcome, new.state), 'at', clock_timestamp()));
        RETURN new;
    END IF;
    new.updated_at := clock_timestamp();
    -- Whoever ended without being published gives its bytes back to the collection.
    new.is_original := new.is_original AND coalesce(new.outcome, 'PUBLISHED') = 'PUBLISHED';
    IF new.fence < old.fence THEN
        RAISE EXCEPTION 'fence would fall from % to %', old.fence, new.fence
            USING ERRCODE = 'PD001';
    END IF;
    IF (new.object_version, new.sha256, new.sequencer)
        IS DISTINCT FROM (coalesce(old.object_version, new.object_version),
                          coalesce(old.sha256, new.sha256),
                          coalesce(old.sequencer, new.sequencer)) THEN
        RAISE EXCEPTION 'the bytes of a version never change' USING ERRCODE = 'PD004';
    END IF;
    -- coalesce: a comparison with NULL is NULL, and IF takes that for "no objection".
    IF new.outcome IS DISTINCT FROM old.outcome AND NOT (
        old.outcome IS NULL
        OR coalesce(new.outcome, '') = 'DELETED'
        OR (old.outcome = 'PUBLISHED' AND coalesce(new.outcome, '') = 'SUPERSEDED')
        OR (old.outcome IN ('FAILED', 'PARKED')
            AND coalesce(new.outcome, 'CANCELLED') = 'CANCELLED')
    ) THEN
        RAISE EXCEPTION 'outcome % cannot become %', old.outcome, new.outcome
            USING ERRCODE = 'PD002';
    END IF;
    IF new.state <> old.state AND (
        old.outcome IS NOT NULL
        OR array_position(states, new.state) <> array_position(states, old.state) + 1
    ) THEN
        RAISE EXCEPTION 'state % cannot become %', old.state, new.state
            USING ERRCODE = 'PD003';
    END IF;
    IF new.state <> old.state THEN
        new.history := new.history || jsonb_build_object('state', new.state, 'at', clock_timestamp());
    END IF;
    IF new.outcome IS DISTINCT FROM old.outcome THEN
        new.history := new.history || jsonb_build_object(
            'state', coalesce(new.outcome, 'RETRIED'), 'at', clock_timestamp());
    END IF;
    RETURN new;
END $$;

CREATE TRIGGER guard_version BEFORE INSERT OR UPDATE ON document_version
    FOR EACH ROW EXECUTE FUNCTION guard_version();

CREATE FUNCTION refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pulsedocs, pg_catalog AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME USING ERRCODE = 'PD005';
END $$;

CREATE TRIGGER chunks_never_change BEFORE UPDATE ON document_chunk
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
