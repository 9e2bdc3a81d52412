-- What a chunk is embedded and matched with, in front of its text and behind; NULL is nothing. The
-- vectors to copy are found by content_hash, which covers both, so a row keeps what it was made with.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE document_chunk
    ADD COLUMN context_before text CHECK (length(context_before) BETWEEN 1 AND 1000),
    ADD COLUMN context_after text CHECK (length(context_after) BETWEEN 1 AND 1000);
