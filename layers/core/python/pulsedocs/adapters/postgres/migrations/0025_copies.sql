-- A copy is a document with rows of its own. Who reads some bytes first is waited for by others of
-- the tenant, so that their vectors are bought once; who has read them holds nothing.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- S3's order of the uploads of one key, where the sequencer of a lost event cannot say it: see
-- `pulsedocs.ports.objects.ObjectStore.upload_order`.
ALTER TABLE document_version ADD COLUMN upload_order bigint;
ALTER TABLE document ADD COLUMN latest_order bigint;
-- What a registration announced; the bytes that come have to have it.
ALTER TABLE document_version ADD COLUMN declared_size bigint CHECK (declared_size >= 0);

CREATE OR REPLACE FUNCTION guard_version() RETURNS trigger
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
    -- Whoever has ended, or has every vector, keeps nobody else from reading the same bytes.
    new.is_original := new.is_original AND new.outcome IS NULL AND new.state <> 'EMBEDDED';
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

DROP INDEX document_version_original;
ALTER TABLE document_version DISABLE TRIGGER guard_version;
DO $$
DECLARE
    tenants uuid[];
    tenant  uuid;
BEGIN
    -- Row security holds for the owner too: who has documents the lister says, the rest goes
    -- tenant by tenant.
    SET LOCAL ROLE pulsedocs_lister;
    SELECT array_agg(DISTINCT tenant_id) INTO tenants FROM document_version;
    SET LOCAL ROLE pulsedocs_owner;
    FOREACH tenant IN ARRAY coalesce(tenants, '{}') LOOP
        PERFORM set_config('app.tenant_id', tenant::text, true);

        UPDATE document_version SET is_original = false
        WHERE is_original AND (outcome IS NOT NULL OR state = 'EMBEDDED');
        -- Of several under way in a tenant's collections one is waited for; all of them go on.
        UPDATE document_version AS mine SET is_original = false
        WHERE is_original AND EXISTS (
            SELECT FROM document_version AS other
            WHERE other.tenant_id = mine.tenant_id AND other.sha256 = mine.sha256
                AND other.is_original
                AND (other.document_id, other.version) < (mine.document_id, mine.version));
        -- Copies that waited for their original's end: who has bytes is read at the next sweep, who
        -- was told that they need not travel is told to send them. What is published needs neither.
        UPDATE document_version AS copy
        SET outcome = CASE WHEN object_version IS NULL THEN 'CANCELLED' END,
            error = CASE WHEN object_version IS NULL THEN jsonb_build_object(
                'code', 'UPLOAD_EXPIRED', 'message', 'the bytes of this copy were never sent',
                'context', '{}'::jsonb,
                'guidance', 'Register the document again and send the file.') END,
            history = history || jsonb_build_object(
                'state', CASE WHEN object_version IS NULL THEN 'CANCELLED' ELSE 'RETRIED' END,
                'at', clock_timestamp())
        FROM document
        WHERE copy.outcome = 'DUPLICATE' AND copy.duplicate_of <> copy.document_id
            AND document.tenant_id = copy.tenant_id AND document.document_id = copy.document_id
            AND document.deleted_at IS NULL AND document.published_version IS NULL
            AND document.latest_version = copy.version;
    END LOOP;
END $$;
ALTER TABLE document_version ENABLE TRIGGER guard_version;

CREATE UNIQUE INDEX document_version_original
    ON document_version (tenant_id, sha256) WHERE is_original;
-- Finds who else has published the same bytes.
CREATE INDEX document_version_bytes ON document_version (tenant_id, sha256)
    WHERE outcome = 'PUBLISHED';
