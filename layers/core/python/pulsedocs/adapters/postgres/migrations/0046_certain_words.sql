-- How sure the engine was of each word that it recognised, 0 to 100, in their order in the raw text:
-- a page may be read well and one figure of it not. NULL of pages that were not recognised here.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE document_page ADD COLUMN certainties smallint[];
