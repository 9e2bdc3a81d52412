-- The sweep deletes what a restored database has back; a deletion begins with its receipt.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;
GRANT INSERT ON deletion_receipt TO pulsedocs_sweep;
