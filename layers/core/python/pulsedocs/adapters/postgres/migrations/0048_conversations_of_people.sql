-- Conversations are listed for the person who leads them, newest first; the turns of one that is opened
-- again show where their answers' words stand.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE conversation
    -- NULL: begun by functions that do not tell people apart; the next answer says whose it is.
    ADD COLUMN subject text CHECK (length(subject) <= 512),
    ADD COLUMN answered_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX conversation_of_subject ON conversation (tenant_id, subject, answered_at);

ALTER TABLE conversation_turn
    -- [{"n", "document_id", "version", "page", "start", "end"}, ...]: places, no words.
    ADD COLUMN citations jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(citations) = 'array'),
    ADD COLUMN refused_for text;  -- the reason, where the answer is a refusal

GRANT UPDATE (subject, answered_at) ON conversation TO pulsedocs_query;
