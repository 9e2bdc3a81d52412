-- Usage is asked for by when it was settled, and a document has one receipt: the unique index of
-- receipts finds it, and the one of pending receipts those that are not over.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

DROP INDEX usage_time;
DROP INDEX deletion_receipt_open;
