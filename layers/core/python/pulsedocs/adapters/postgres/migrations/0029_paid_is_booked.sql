-- Whose a deleted document was: what its last calls cost is booked to them, though the document is gone.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE deletion_receipt ADD COLUMN user_id text;

-- Whoever cancels or deletes gives back what was held.
GRANT UPDATE ON budget_day TO pulsedocs_api;
GRANT UPDATE, DELETE ON budget_reservation TO pulsedocs_api;
