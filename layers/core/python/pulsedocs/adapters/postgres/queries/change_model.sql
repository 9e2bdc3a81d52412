-- Nothing; until the transaction ends, nothing is published in the collection.
SELECT pg_advisory_xact_lock(
    hashtextextended('pulsedocs.model of ' || %(collection_id)s::text, 0));
