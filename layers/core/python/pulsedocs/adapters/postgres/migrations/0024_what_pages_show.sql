-- What a page shows: text that was recognised on a scan, where white space means something, and
-- which running lines were left out. And what a file calls itself.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE document_page
    DROP CONSTRAINT document_page_outcome_check,
    ADD CONSTRAINT document_page_outcome_check
        CHECK (outcome IN ('TEXT', 'OCR', 'EMPTY', 'HIDDEN_ONLY', 'FAILED')),
    ADD COLUMN is_sheet boolean NOT NULL DEFAULT true,  -- false: a part of a text without pages
    ADD COLUMN verbatim jsonb NOT NULL DEFAULT '[]',  -- [[start, end], ...] of raw_text
    ADD COLUMN furniture text[] NOT NULL DEFAULT '{}';

DROP INDEX document_page_unreadable;
CREATE INDEX document_page_unreadable ON document_page (tenant_id, document_id, version)
    WHERE outcome NOT IN ('TEXT', 'OCR');

-- `document.title` is what somebody said. The file's own title comes with its bytes, so each
-- version has one; the document shows that of the version that is found.
ALTER TABLE document ADD COLUMN file_title text CHECK (length(file_title) <= 1024);
ALTER TABLE document_version
    ADD COLUMN file_title text CHECK (length(file_title) <= 1024),
    -- The title that its chunks are embedded with, '' for the name of the source; NULL for none.
    ADD COLUMN embedded_title text CHECK (length(embedded_title) <= 1024);
