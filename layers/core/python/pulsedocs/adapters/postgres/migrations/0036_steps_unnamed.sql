-- `pipeline.Step` says which steps there are, and nothing else writes the ledger: a new step needs no
-- migration.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE step_ledger DROP CONSTRAINT step_ledger_step_check;
