-- What is known of a page that is a picture: whether anybody has looked for words on it, and how sure
-- the engine was of those it recognised. No confidence is of a page with text of its own, or one that
-- came with its words.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE document_page
    ADD COLUMN confidence real CHECK (confidence BETWEEN 0 AND 1),
    -- Pages without text that are there already may hold words that nobody has looked for.
    ADD COLUMN is_picture boolean NOT NULL DEFAULT true;
ALTER TABLE document_page ALTER COLUMN is_picture SET DEFAULT false;
