-- Models as things to try: probed when registered, filled in behind documents that are there, tried
-- beside the model that a collection is searched by, taken back, and removed.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- Whether a model can be used. What a collection does with it says the collection.
ALTER TABLE embedding_model
    DROP CONSTRAINT embedding_model_state_check,
    ALTER COLUMN state SET DEFAULT 'READY',
    ADD CHECK (state IN ('PROBING', 'READY', 'FAILED', 'RETIRED')),
    -- Names the probe under way: a late answer of an earlier one changes nothing.
    ADD COLUMN probe_id uuid,
    ADD COLUMN error jsonb CHECK (jsonb_typeof(error) = 'object'),
    ADD CHECK ((state = 'PROBING') = (probe_id IS NOT NULL)),
    ADD CHECK ((state = 'FAILED') = (error IS NOT NULL));

-- A provider's name may have a hyphen: a plug-in is named as its distribution is.
ALTER TABLE stage_model
    DROP CONSTRAINT stage_model_model_check,
    ADD CHECK (model ~ '^[a-z][a-z0-9_-]*:[^@[:space:]]{1,200}@[0-9]+$');

-- Whether the version is cut as its collection says, or as its own upload said.
ALTER TABLE document_version ADD COLUMN inherits_profile boolean NOT NULL DEFAULT false;

-- The other model of a collection: the one being tried, or the one to go back to.
CREATE TABLE collection_migration (
    tenant_id     uuid NOT NULL,
    collection_id uuid NOT NULL,
    from_model    text NOT NULL,
    to_model      text NOT NULL,
    state         text NOT NULL DEFAULT 'SHADOW'
                  CHECK (state IN ('SHADOW', 'PROMOTED', 'ROLLED_BACK')),
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_by    text NOT NULL,
    changed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_by    text NOT NULL,
    PRIMARY KEY (tenant_id, collection_id),
    FOREIGN KEY (tenant_id, collection_id)
        REFERENCES collection (tenant_id, collection_id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, from_model) REFERENCES embedding_model (tenant_id, model),
    FOREIGN KEY (tenant_id, to_model) REFERENCES embedding_model (tenant_id, model),
    CHECK (from_model <> to_model)
);
CREATE INDEX collection_migration_from ON collection_migration (tenant_id, from_model);
CREATE INDEX collection_migration_to ON collection_migration (tenant_id, to_model);

CREATE TABLE model_backfill (
    tenant_id     uuid NOT NULL,
    backfill_id   uuid NOT NULL,
    model         text NOT NULL,
    collection_id uuid,                 -- null: all collections of the tenant
    state         text NOT NULL DEFAULT 'REQUESTED'
                  CHECK (state IN ('REQUESTED', 'RUNNING', 'FINISHED', 'FAILED')),
    holder        text CHECK (length(holder) BETWEEN 1 AND 2048),
    lease_until   timestamptz,
    position      text NOT NULL DEFAULT '',
    requested_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    requested_by  text NOT NULL,
    ended_at      timestamptz,
    error         jsonb CHECK (jsonb_typeof(error) = 'object'),
    PRIMARY KEY (tenant_id, backfill_id),
    FOREIGN KEY (tenant_id, model)
        REFERENCES embedding_model (tenant_id, model) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, collection_id)
        REFERENCES collection (tenant_id, collection_id) ON DELETE CASCADE,
    CHECK ((state IN ('FINISHED', 'FAILED')) = (ended_at IS NOT NULL)),
    CHECK ((state = 'FAILED') = (error IS NOT NULL)),
    CHECK ((state = 'RUNNING') = (holder IS NOT NULL))
);
CREATE INDEX model_backfill_of_model ON model_backfill (tenant_id, model, requested_at);
-- Asked for twice, it is one.
CREATE UNIQUE INDEX model_backfill_open
    ON model_backfill (tenant_id, model, collection_id) NULLS NOT DISTINCT
    WHERE state IN ('REQUESTED', 'RUNNING');

CREATE OR REPLACE FUNCTION drop_embedding_model(unwanted text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pulsedocs, public, pg_temp AS $$
-- Drop a model's partition once no tenant has the model and no row is left in it; false until then.
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
    BEGIN
        -- Row security hides from the owner which tenants have the model; the foreign key does not.
        DELETE FROM stage_model WHERE model_id = found_id;
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', partition);
        EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', partition);
        EXECUTE format('SELECT EXISTS (SELECT FROM %I)', partition) INTO has_rows;
        IF has_rows THEN
            RAISE foreign_key_violation;
        END IF;
        EXECUTE format('ALTER TABLE chunk_embedding DETACH PARTITION %I', partition);
        EXECUTE format('DROP TABLE %I', partition);
    EXCEPTION WHEN foreign_key_violation THEN
        RETURN false;
    END;
    RETURN true;
END $$;

CALL isolate_tenant_tables();

GRANT SELECT ON collection_migration, model_backfill
TO pulsedocs_api, pulsedocs_ingest, pulsedocs_sweep;
GRANT INSERT, UPDATE, DELETE ON collection_migration TO pulsedocs_api;
GRANT INSERT, UPDATE ON model_backfill TO pulsedocs_api;
GRANT UPDATE ON model_backfill TO pulsedocs_ingest;
GRANT UPDATE, DELETE ON embedding_model TO pulsedocs_sweep;
