-- What a registration says of a document that exists (source, title, metadata, content_date) waits
-- with its version. NULL: nothing waits, as for each first version, and once the document says it.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE document_version ADD COLUMN announced jsonb;
