-- Answers that are remembered by an Idempotency-Key: which documents' words they quote.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- Such an answer ends with the first of its documents that is deleted; of other requests it is empty.
ALTER TABLE idempotency_key ADD COLUMN document_ids uuid[] NOT NULL DEFAULT '{}';

GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_key TO pulsedocs_query;
