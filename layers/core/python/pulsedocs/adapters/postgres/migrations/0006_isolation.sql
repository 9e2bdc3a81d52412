-- Row-level security on every tenant table, and who may do what. Partitions get no grants: reading
-- one directly would skip the parent's policy.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- Called again by each migration that makes a table: it isolates what has a tenant and no policy.
CREATE PROCEDURE isolate_tenant_tables()
LANGUAGE plpgsql SET search_path = pulsedocs, pg_catalog, pg_temp AS $$
DECLARE
    isolated regclass;
BEGIN
    FOR isolated IN
        SELECT attrelid::regclass
        FROM pg_attribute
        JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'pulsedocs'::regnamespace
          AND relkind IN ('r', 'p')
          AND NOT relispartition
          AND attname = 'tenant_id'
          AND NOT EXISTS (
              SELECT FROM pg_policy WHERE polrelid = attrelid AND polname = 'tenant_isolation')
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', isolated);
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', isolated);
        EXECUTE format(
            'CREATE POLICY tenant_isolation ON %s'
            ' USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
            ' WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)',
            isolated);
    END LOOP;
END $$;
REVOKE ALL ON PROCEDURE isolate_tenant_tables() FROM PUBLIC;
CALL isolate_tenant_tables();

GRANT SELECT ON
    stage_model, embedding_model, collection, document, document_version, document_page,
    document_chunk, chunk_embedding, embedding_failure, posting, doc_stats
TO pulsedocs_api, pulsedocs_ingest, pulsedocs_query, pulsedocs_sweep;

GRANT SELECT ON step_ledger, audit_event, usage TO pulsedocs_api, pulsedocs_ingest, pulsedocs_sweep;
GRANT INSERT ON audit_event TO pulsedocs_api, pulsedocs_ingest, pulsedocs_sweep;

GRANT INSERT, UPDATE ON collection, document, document_version, embedding_model, deletion_receipt
TO pulsedocs_api;
GRANT SELECT ON deletion_receipt TO pulsedocs_api, pulsedocs_sweep;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_key TO pulsedocs_api, pulsedocs_sweep;
GRANT EXECUTE ON FUNCTION ensure_embedding_model(text) TO pulsedocs_api, pulsedocs_ingest;

GRANT INSERT, UPDATE ON collection, document, document_version, document_page, embedding_model
TO pulsedocs_ingest;
GRANT INSERT ON
    document_chunk, chunk_embedding, embedding_failure, posting, doc_stats, step_ledger
TO pulsedocs_ingest;
GRANT INSERT, UPDATE ON usage TO pulsedocs_ingest, pulsedocs_query, pulsedocs_sweep;
GRANT SELECT ON usage TO pulsedocs_query;

GRANT UPDATE, DELETE ON document, document_version TO pulsedocs_sweep;
GRANT UPDATE ON deletion_receipt TO pulsedocs_sweep;
GRANT EXECUTE ON FUNCTION drop_embedding_model(text) TO pulsedocs_sweep;
