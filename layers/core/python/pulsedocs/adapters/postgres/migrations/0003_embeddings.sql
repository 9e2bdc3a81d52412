-- Vectors: derived from chunks, one partition per model, made and dropped by two owner functions.
-- A partition begins without HNSW: see 0010.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- Made again, so that it is the youngest of the indexes that begin alike. Before the first ANALYZE
-- they cost the planner the same and it takes the youngest: through the index of chunk_index, each
-- foreign key check below read all chunks of the version: 0.3 ms a row at 1,500 chunks, and more with more.
ALTER TABLE document_chunk
    DROP CONSTRAINT document_chunk_pkey,
    ADD PRIMARY KEY (tenant_id, document_id, version, chunk_id);

CREATE TABLE chunk_embedding (
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    version     integer NOT NULL,
    chunk_id    uuid NOT NULL,
    model_id    integer NOT NULL,
    embedding   halfvec NOT NULL,
    PRIMARY KEY (tenant_id, document_id, version, chunk_id, model_id),
    FOREIGN KEY (tenant_id, document_id, version, chunk_id)
        REFERENCES document_chunk (tenant_id, document_id, version, chunk_id) ON DELETE CASCADE
) PARTITION BY LIST (model_id);

-- In TOAST, 1,536 dimensions make the planner ignore HNSW: 106 ms against 12 ms.
ALTER TABLE chunk_embedding ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE embedding_failure (
    tenant_id   uuid NOT NULL,
    document_id uuid NOT NULL,
    version     integer NOT NULL,
    chunk_id    uuid NOT NULL,
    model       text NOT NULL,
    code        text NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id, version, chunk_id, model),
    FOREIGN KEY (tenant_id, document_id, version, chunk_id)
        REFERENCES document_chunk (tenant_id, document_id, version, chunk_id) ON DELETE CASCADE
);

CREATE FUNCTION ensure_embedding_model(wanted text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pulsedocs, public, pg_temp AS $$
-- Register a model for the stage and make its partition; returns its id. Attaching takes an
-- exclusive lock on the parent, so it gives up after 2 s (55P03) and the caller tries again.
DECLARE
    found_id  integer;
    width     integer := substring(wanted FROM '@([0-9]+)$')::integer;
    partition text;
BEGIN
    SELECT model_id INTO found_id FROM stage_model WHERE model = wanted;
    IF found_id IS NOT NULL THEN
        RETURN found_id;
    END IF;
    SET LOCAL lock_timeout = '2s';
    LOCK TABLE stage_model IN SHARE ROW EXCLUSIVE MODE;
    SELECT model_id INTO found_id FROM stage_model WHERE model = wanted;
    IF found_id IS NOT NULL THEN
        RETURN found_id;
    END IF;
    INSERT INTO stage_model (model, dimensions) VALUES (wanted, width) RETURNING model_id INTO found_id;
    partition := format('chunk_embedding_%s', found_id);
    EXECUTE format(
        'CREATE TABLE %I (LIKE chunk_embedding INCLUDING DEFAULTS INCLUDING CONSTRAINTS'
        ' INCLUDING STORAGE)', partition);
    EXECUTE format(
        'ALTER TABLE %1$I ADD PRIMARY KEY (tenant_id, document_id, version, chunk_id, model_id),'
        ' ADD CHECK (model_id = %2$s),'
        ' ADD CHECK (vector_dims(embedding) = %3$s),'
        -- pgvector accepts a zero vector, whose cosine to anything is NaN.
        ' ADD CHECK (l2_norm(embedding) BETWEEN 0.5 AND 1.5)', partition, found_id, width);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', partition);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', partition);
    EXECUTE format(
        'ALTER TABLE chunk_embedding ATTACH PARTITION %I FOR VALUES IN (%s)', partition, found_id);
    RETURN found_id;
END $$;

CREATE FUNCTION drop_embedding_model(unwanted text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pulsedocs, public, pg_temp AS $$
-- Drop a model's partition once no row of any tenant is left in it; false while one is.
DECLARE
    found_id  integer;
    has_rows  boolean;
    partition text;
BEGIN
    SET LOCAL lock_timeout = '2s';
    SELECT model_id INTO found_id FROM stage_model WHERE model = unwanted FOR UPDATE;
    IF found_id IS NULL THEN
        RETURN true;
    END IF;
    partition := format('chunk_embedding_%s', found_id);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', partition);
    EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', partition);
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', partition) INTO has_rows;
    IF has_rows THEN
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', partition);
        RETURN false;
    END IF;
    EXECUTE format('ALTER TABLE chunk_embedding DETACH PARTITION %I', partition);
    EXECUTE format('DROP TABLE %I', partition);
    DELETE FROM stage_model WHERE model_id = found_id;
    RETURN true;
END $$;

REVOKE ALL ON FUNCTION ensure_embedding_model(text), drop_embedding_model(text) FROM PUBLIC;
