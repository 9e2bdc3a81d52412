-- A stage has at most 100 models: each is a partition that every statement over all of them plans and
-- locks, and tenants may each bring 20 of their own.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- As in 0033, and counted.
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
    IF (SELECT count(*) FROM stage_model) >= 100 THEN
        RAISE EXCEPTION 'this stage has 100 models already; retire one first' USING ERRCODE = '54000';
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
