-- Vectors are indexed while others write. CREATE INDEX CONCURRENTLY runs in no function and is the
-- owner's: so partitions get an owner of their own, which owns nothing else and only the sweep may be.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pulsedocs_indexer') THEN
        CREATE ROLE pulsedocs_indexer NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT NOCREATEROLE NOCREATEDB;
    END IF;
END $$;
GRANT pulsedocs_indexer TO CURRENT_USER WITH SET TRUE;
-- Makes partitions, attaches and drops them.
GRANT pulsedocs_indexer TO pulsedocs_owner WITH INHERIT TRUE, SET TRUE;
-- Nothing comes with it: the sweep has to say SET ROLE.
GRANT pulsedocs_indexer TO pulsedocs_sweep WITH INHERIT FALSE, SET TRUE;
GRANT USAGE ON SCHEMA public TO pulsedocs_indexer;

SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;
GRANT USAGE, CREATE ON SCHEMA pulsedocs TO pulsedocs_indexer;

DO $$
DECLARE
    partition regclass;
BEGIN
    FOR partition IN
        SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'chunk_embedding'::regclass
    LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO pulsedocs_indexer', partition);
    END LOOP;
END $$;

DROP FUNCTION build_vector_index(text);

-- As in 0003, and the partition then changes hands.
CREATE OR REPLACE FUNCTION ensure_embedding_model(wanted text) RETURNS integer
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
    EXECUTE format('ALTER TABLE %I OWNER TO pulsedocs_indexer', partition);
    RETURN found_id;
END $$;
