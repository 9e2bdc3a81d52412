-- The pages without readable text, of which every question's coverage is counted: few among many.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

CREATE INDEX document_page_unreadable ON document_page (tenant_id, document_id, version)
    WHERE outcome <> 'TEXT';
