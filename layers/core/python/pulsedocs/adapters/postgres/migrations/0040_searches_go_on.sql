-- How far a deletion's search for words has come, and what it found: a tenant's text may take longer to
-- read than one purge has. Hashes, like `sample`.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE deletion_receipt
    ADD COLUMN searched jsonb CHECK (jsonb_typeof(searched) = 'object');
