-- Retrieval policies that a collection defines for itself: a revision is added, never changed.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE TABLE retrieval_profile (
    tenant_id     uuid NOT NULL,
    collection_id uuid NOT NULL,
    name          text NOT NULL CHECK (name ~ '^[a-z][a-z0-9_.-]{0,63}$'),
    revision      integer NOT NULL CHECK (revision BETWEEN 1 AND 1000),
    policy        jsonb NOT NULL CHECK (jsonb_typeof(policy) = 'object'),
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by    text NOT NULL,
    PRIMARY KEY (tenant_id, collection_id, name, revision),
    FOREIGN KEY (tenant_id, collection_id)
        REFERENCES collection (tenant_id, collection_id) ON DELETE CASCADE
);

CREATE TRIGGER profiles_never_change BEFORE UPDATE ON retrieval_profile
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

CALL isolate_tenant_tables();

GRANT SELECT ON retrieval_profile TO pulsedocs_api, pulsedocs_query, pulsedocs_sweep;
GRANT INSERT ON retrieval_profile TO pulsedocs_api;
