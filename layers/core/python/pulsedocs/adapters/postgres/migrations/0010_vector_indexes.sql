-- HNSW once a model has enough vectors to need it: until then every search is exact, and storing
-- vectors costs a fraction (decision 0111).
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE FUNCTION build_vector_index(wanted text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pulsedocs, public, pg_temp AS $$
-- Index one model's partition; false when it is indexed, or being indexed by somebody else.
-- Writers to the partition wait meanwhile, give up after their own lock_timeout and come back.
DECLARE
    found_id  integer;
    width     integer;
    partition text;
BEGIN
    SELECT model_id, dimensions INTO found_id, width FROM stage_model WHERE model = wanted;
    partition := format('chunk_embedding_%s', found_id);
    IF found_id IS NULL
        OR to_regclass(partition || '_hnsw') IS NOT NULL
        OR NOT pg_try_advisory_xact_lock(hashtext('pulsedocs.vector_index'), found_id) THEN
        RETURN false;
    END IF;
    SET LOCAL lock_timeout = '2s';
    -- In 64 MB, the default, the graph spills after 28,000 vectors and the build takes three times
    -- as long. Taken only as it is needed.
    SET LOCAL maintenance_work_mem = '512MB';
    EXECUTE format(
        'CREATE INDEX %I ON %I USING hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops)',
        partition || '_hnsw', partition, width);
    RETURN true;
END $$;

REVOKE ALL ON FUNCTION build_vector_index(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION build_vector_index(text) TO pulsedocs_sweep;
