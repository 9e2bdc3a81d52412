-- name: add_reprocessed_version
-- A version of the bytes that are published, to be made into rows once more.
INSERT INTO document_version (
    tenant_id, document_id, version, collection_id, pipeline_revision, object_version, sequencer,
    upload_order, content_type, size, declared_sha256, on_duplicate, duplicate_by, chunking, validate_chunks,
    received_at, is_reprocessed, inherits_profile)
SELECT published.tenant_id, published.document_id, document.latest_version + 1,
       published.collection_id, %(pipeline_revision)s, published.object_version,
       published.sequencer, published.upload_order, published.content_type, published.size,
       published.sha256, published.on_duplicate, published.duplicate_by,
       coalesce(%(chunking)s::jsonb, published.chunking), published.validate_chunks,
       clock_timestamp(), true,
       %(inherits_profile)s
FROM document
JOIN document_version AS published
    ON published.tenant_id = document.tenant_id
    AND published.document_id = document.document_id
    AND published.version = document.published_version
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
RETURNING version;


-- name: profile_to_reprocess_with
-- The chunk profile of the collection, null where the published version names one of its own. No row
-- while a version is on its way, for which another would have to wait.
SELECT CASE WHEN published.inherits_profile THEN collection.chunk_profile END AS inherited
FROM document
JOIN collection USING (tenant_id, collection_id)
JOIN document_version AS published
    ON published.tenant_id = document.tenant_id
    AND published.document_id = document.document_id
    AND published.version = document.published_version
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND NOT EXISTS (
        SELECT FROM document_version AS coming
        WHERE coming.tenant_id = document.tenant_id
            AND coming.document_id = document.document_id
            AND coming.outcome IS NULL AND coming.received_at IS NOT NULL
            AND coming.state <> 'EMBEDDED');


-- name: chunks
-- Chunks of the version that is asked for, else of the published one, else of the newest, with the
-- vector they are searched by.
SELECT document_chunk.chunk_id,
       document_chunk.version,
       document_chunk.text AS content,
       document_chunk.chunk_index,
       document_version.chunk_count AS total_chunks,
       document_chunk.spans,
       document_chunk.section,
       document_chunk.tokens,
       document_chunk.characters,
       document_chunk.profile,
       document_chunk.method,
       document_chunk.parameters,
       document_chunk.context_before,
       document_chunk.context_after,
       document_chunk.flags,
       document_chunk.created_at,
       document.source,
       document.metadata,
       collection.active_model,
       vector_dims(chunk_embedding.embedding) AS embedding_dimensions
FROM document
JOIN collection USING (tenant_id, collection_id)
JOIN document_version
    ON document_version.tenant_id = document.tenant_id
    AND document_version.document_id = document.document_id
    AND document_version.version
        = coalesce(%(version)s::integer, document.published_version, document.latest_version)
JOIN document_chunk
    ON document_chunk.tenant_id = document_version.tenant_id
    AND document_chunk.document_id = document_version.document_id
    AND document_chunk.version = document_version.version
LEFT JOIN chunk_embedding
    ON chunk_embedding.tenant_id = document_chunk.tenant_id
    AND chunk_embedding.document_id = document_chunk.document_id
    AND chunk_embedding.version = document_chunk.version
    AND chunk_embedding.chunk_id = document_chunk.chunk_id
    AND chunk_embedding.model_id = (
        SELECT model_id FROM stage_model WHERE model = collection.active_model)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL
    AND document_chunk.chunk_index > %(after)s
ORDER BY document_chunk.chunk_index
LIMIT %(limit)s;


-- name: chunks_of_version
-- Which of these ids are chunks of one version.
SELECT chunk_id
FROM document_chunk
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    AND chunk_id = ANY(%(chunk_ids)s::uuid[]);


-- name: chunks_to_embed
-- Chunks of a version that still wait for a vector, and the first batch number never recorded.
SELECT chunk_id, content_hash, concat_ws(E'\n', context_before, text, context_after), (
    SELECT coalesce(max(batch) + 1, 0)
    FROM step_ledger
    WHERE step_ledger.tenant_id = %(tenant_id)s AND step_ledger.document_id = %(document_id)s
        AND step_ledger.version = %(version)s AND step = 'embed'
) AS next_batch
FROM document_chunk
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s
    -- include: waits_for_vector
ORDER BY chunk_index;


-- name: collection_named
-- One collection and what it chooses for its documents; it stays while they are registered.
SELECT collection_id, chunk_profile
FROM collection
WHERE tenant_id = %(tenant_id)s AND name = %(collection)s
FOR KEY SHARE;


-- name: collections
-- A tenant's collections by name, or one of them, with how many documents each has.
SELECT collection.name,
       collection.active_model AS model,
       collection.chunk_profile,
       collection.retrieval_profile,
       collection.language,
       collection.ocr_languages,
       collection.created_at,
       (SELECT count(*) FROM document
        WHERE document.tenant_id = collection.tenant_id
            AND document.collection_id = collection.collection_id
            AND document.deleted_at IS NULL) AS documents
FROM collection
WHERE collection.tenant_id = %(tenant_id)s
    AND collection.deleted_at IS NULL
    AND (%(name)s::text IS NULL OR collection.name = %(name)s)
ORDER BY collection.name;


-- name: copy_embeddings
-- Vectors of equal text, from any version of the tenant, for chunks that have none.
INSERT INTO chunk_embedding (tenant_id, document_id, version, chunk_id, model_id, embedding)
SELECT mine.tenant_id, mine.document_id, mine.version, mine.chunk_id, %(model_id)s,
       known.embedding
FROM document_chunk AS mine
CROSS JOIN LATERAL (
    SELECT chunk_embedding.embedding
    FROM document_chunk AS twin
    JOIN chunk_embedding
        ON chunk_embedding.tenant_id = twin.tenant_id
        AND chunk_embedding.document_id = twin.document_id
        AND chunk_embedding.version = twin.version
        AND chunk_embedding.chunk_id = twin.chunk_id
        AND chunk_embedding.model_id = %(model_id)s
    WHERE twin.tenant_id = mine.tenant_id AND twin.content_hash = mine.content_hash
    LIMIT 1
) AS known
WHERE mine.tenant_id = %(tenant_id)s
    AND mine.document_id = %(document_id)s
    AND mine.version = %(version)s
    AND mine.chunk_id = ANY(%(chunk_ids)s::uuid[])
ORDER BY mine.chunk_id
ON CONFLICT DO NOTHING;


-- name: copy_twin_embeddings
-- Vectors of the same chunks of another document that has the same bytes, for chunks without one.
INSERT INTO chunk_embedding (tenant_id, document_id, version, chunk_id, model_id, embedding)
SELECT lacking.tenant_id, lacking.document_id, lacking.version, lacking.chunk_id, %(model_id)s,
       chunk_embedding.embedding
FROM document_version AS mine
CROSS JOIN LATERAL (
    SELECT twin.document_id, twin.version
    FROM document_version AS twin
    WHERE twin.tenant_id = mine.tenant_id AND twin.sha256 = mine.sha256
        AND twin.outcome = 'PUBLISHED' AND twin.document_id <> mine.document_id
        AND EXISTS (
            SELECT FROM chunk_embedding
            WHERE chunk_embedding.tenant_id = twin.tenant_id
                AND chunk_embedding.document_id = twin.document_id
                AND chunk_embedding.version = twin.version
                AND chunk_embedding.model_id = %(model_id)s)
    ORDER BY twin.received_at, twin.document_id
    LIMIT 1
) AS twin
JOIN document_chunk AS lacking
    ON lacking.tenant_id = mine.tenant_id
    AND lacking.document_id = mine.document_id
    AND lacking.version = mine.version
JOIN document_chunk AS theirs
    ON theirs.tenant_id = mine.tenant_id
    AND theirs.document_id = twin.document_id
    AND theirs.version = twin.version
    AND theirs.chunk_hash = lacking.chunk_hash
JOIN chunk_embedding
    ON chunk_embedding.tenant_id = theirs.tenant_id
    AND chunk_embedding.document_id = theirs.document_id
    AND chunk_embedding.version = theirs.version
    AND chunk_embedding.chunk_id = theirs.chunk_id
    AND chunk_embedding.model_id = %(model_id)s
WHERE mine.tenant_id = %(tenant_id)s
    AND mine.document_id = %(document_id)s
    AND mine.version = %(version)s
    AND NOT mine.is_reprocessed
    AND lacking.chunk_id = ANY(%(chunk_ids)s::uuid[])
ORDER BY lacking.chunk_id
ON CONFLICT DO NOTHING
RETURNING chunk_id;


-- name: count_version
-- The document's number of versions after one was added.
UPDATE document
SET latest_version = %(version)s, updated_at = clock_timestamp()
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;


-- name: document_with_id
-- A document by its id, locked.
SELECT document_id, collection_id, latest_version, published_version, deleted_at
FROM document
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
FOR UPDATE;


-- name: embedded_hashes
-- Which of these texts have a vector of a model somewhere in the tenant.
SELECT wanted.content_hash
FROM unnest(%(content_hashes)s::bytea[]) AS wanted (content_hash)
WHERE EXISTS (
    SELECT FROM document_chunk
    JOIN chunk_embedding USING (tenant_id, document_id, version, chunk_id)
    WHERE document_chunk.tenant_id = %(tenant_id)s
        AND document_chunk.content_hash = wanted.content_hash
        AND chunk_embedding.model_id = (
            SELECT model_id FROM stage_model WHERE model = %(model)s));


-- name: end_version (kept)
-- A version that ends without having advanced, and the document whose bytes it repeats.
UPDATE document_version
SET outcome = %(outcome)s, error = %(error)s, lease_until = NULL, lease_holder = NULL,
    duplicate_of = coalesce(%(duplicate_of)s, duplicate_of)
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: ensure_model
-- The number of a model's partition, which is made if the stage does not know the model.
SELECT ensure_embedding_model(%(model)s);


-- name: insert_embedding_failures
-- Chunks that a provider refuses to embed; the keyword index still finds them.
INSERT INTO embedding_failure (tenant_id, document_id, version, chunk_id, model, code)
SELECT %(tenant_id)s, %(document_id)s, %(version)s, refused.chunk_id, %(model)s, refused.code
FROM unnest(%(chunk_ids)s::uuid[], %(codes)s::text[]) AS refused (chunk_id, code)
ORDER BY refused.chunk_id
ON CONFLICT DO NOTHING;


-- name: insert_embeddings
-- Vectors of one batch, in the order of their key; those already there stay.
INSERT INTO chunk_embedding (tenant_id, document_id, version, chunk_id, model_id, embedding)
SELECT %(tenant_id)s, %(document_id)s, %(version)s, vector.chunk_id, %(model_id)s,
       vector.embedding
-- b, not s: as text the same rows go in at a third of the speed (1,200 against 3,300 a second).
FROM unnest(%(chunk_ids)s::uuid[], %(embeddings)b::halfvec[]) AS vector (chunk_id, embedding)
ORDER BY vector.chunk_id
ON CONFLICT DO NOTHING;


-- name: is_in_use
-- Whether a document has content, or is about to: published, held, or on its way.
SELECT EXISTS (
    SELECT FROM document_version
    WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
        AND (outcome = 'PUBLISHED' OR outcome IS NULL AND received_at IS NOT NULL));


-- name: is_object_known
-- Whether some version stands for an object version, whatever the pipeline's revision was then.
SELECT true
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND object_version = %(object_version)s
LIMIT 1;


-- name: model_of_version
-- The model that a version's collection is searched by, and the number of its partition.
SELECT stage_model.model, stage_model.model_id
FROM document_version
JOIN collection USING (tenant_id, collection_id)
JOIN stage_model ON stage_model.model = collection.active_model
WHERE document_version.tenant_id = %(tenant_id)s
    AND document_version.document_id = %(document_id)s
    AND document_version.version = %(version)s;


-- name: page
-- One page of the version that is asked for, else of the published one, else of the newest.
SELECT document_page.page_number AS page,
       document_page.label,
       coalesce(document_page.cleaned_text, document_page.raw_text) AS text,
       document_page.raw_text,
       document_page.outcome,
       CASE WHEN document_page.confidence IS NOT NULL THEN 'recognised'
            WHEN document_page.outcome = 'OCR' THEN 'embedded'
       END AS ocr_source,
       document_page.confidence,
       document_page.furniture,
       coalesce(document_page.cleaned_headings, document_page.raw_headings) AS sections
FROM document
JOIN document_page
    ON document_page.tenant_id = document.tenant_id
    AND document_page.document_id = document.document_id
    AND document_page.version
        = coalesce(%(version)s::integer, document.published_version, document.latest_version)
WHERE document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
    AND document.deleted_at IS NULL AND document_page.page_number = %(number)s;


-- name: purge_collections
-- Deleted collections whose last document is gone.
DELETE FROM collection
WHERE tenant_id = %(tenant_id)s AND deleted_at IS NOT NULL
    AND NOT EXISTS (
        SELECT FROM document
        WHERE document.tenant_id = collection.tenant_id
            AND document.collection_id = collection.collection_id);


-- name: receipt_of_document (kept)
-- The receipt of a document that was deleted, whether or not its rows are gone.
SELECT receipt_id
FROM deletion_receipt
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s;


-- name: record_audit (kept)
-- Who did what to which object, and how it ended.
INSERT INTO audit_event (tenant_id, actor, action, object, outcome, detail)
VALUES (%(tenant_id)s, %(actor)s, %(action)s, %(object)s, %(outcome)s, %(detail)s);


-- name: record_usage (kept)
-- What a step spent at a provider, once where it has an id, also for what is gone by now.
-- Null dollars are a price that is not known.
INSERT INTO usage (
    tenant_id, usage_id, state, method, model, user_id, source, document_id, input_tokens,
    cost_usd, settled_at)
SELECT %(tenant_id)s, coalesce(%(usage_id)s::uuid, gen_random_uuid()), 'SETTLED', %(method)s,
       %(model)s, coalesce(document.metadata ->> 'user_id', gone.user_id), document.source,
       %(document_id)s, %(input_tokens)s, %(cost_usd)s::double precision, clock_timestamp()
FROM (VALUES (1)) AS call (one)
LEFT JOIN document
    ON document.tenant_id = %(tenant_id)s AND document.document_id = %(document_id)s
LEFT JOIN deletion_receipt AS gone
    ON gone.tenant_id = %(tenant_id)s AND gone.document_id = %(document_id)s
ON CONFLICT DO NOTHING;


-- name: request_run
-- A version for which a run is asked, and how often a sweep did since a person last asked.
UPDATE document_version
SET requested_at = clock_timestamp(),
    automatic_attempts = %(attempts)s
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: resumable_version
-- The received version to go on with: an abandoned one, else the newest that can go on.
SELECT version
FROM document_version
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s
    AND received_at IS NOT NULL
    AND (outcome IN ('PARKED', 'FAILED') OR outcome IS NULL AND state <> 'EMBEDDED')
ORDER BY outcome IS NULL AND coalesce(lease_until < clock_timestamp(), true) DESC, version DESC
LIMIT 1;


-- name: stop_version
-- A version that somebody other than its run ends: the run's next write is fenced out.
UPDATE document_version
SET outcome = %(outcome)s,
    error = %(error)s,
    fence = fence + 1,
    lease_until = NULL,
    lease_holder = NULL,
    requested_at = NULL
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;


-- name: use_model (kept)
-- The number of a usable model's partition; the model is not retired while this transaction runs.
SELECT stage_model.model_id
FROM embedding_model
JOIN stage_model USING (model)
WHERE embedding_model.tenant_id = %(tenant_id)s AND embedding_model.model = %(model)s
    AND embedding_model.state = 'READY'
FOR SHARE OF embedding_model;


-- part: cites_no_deleted_document
-- None of the documents that something is written from was deleted.
    NOT EXISTS (
        SELECT FROM unnest(%(document_ids)s::uuid[]) AS used (document_id)
        WHERE NOT EXISTS (
            SELECT FROM document
            WHERE document.tenant_id = %(tenant_id)s
                AND document.document_id = used.document_id
                AND document.deleted_at IS NULL))


-- part: waits_for_vector
-- A chunk that has no vector of a model, and was not refused one. Fenced, so that each is looked up by
-- its key: without statistics, a join held 1,500 chunks against each other (1.1 million pairs).
    AND NOT EXISTS (
        SELECT FROM chunk_embedding
        WHERE chunk_embedding.tenant_id = document_chunk.tenant_id
            AND chunk_embedding.document_id = document_chunk.document_id
            AND chunk_embedding.version = document_chunk.version
            AND chunk_embedding.chunk_id = document_chunk.chunk_id
            AND chunk_embedding.model_id = (
                SELECT model_id FROM stage_model WHERE model = %(model)s)
        OFFSET 0)
    AND NOT EXISTS (
        SELECT FROM embedding_failure
        WHERE embedding_failure.tenant_id = document_chunk.tenant_id
            AND embedding_failure.document_id = document_chunk.document_id
            AND embedding_failure.version = document_chunk.version
            AND embedding_failure.chunk_id = document_chunk.chunk_id
            AND embedding_failure.model = %(model)s
        OFFSET 0)


-- part: with_words_apart
-- What is `said`, with words once more that PostgreSQL's parser does not cut out of it: those of each
-- "owner/operator", which it takes for a path and keeps together. Alone stay units (km/h), dates, paths
-- from a root or to a file, and addresses.
-- Of scripts without spaces, and of Korean, each two letters in a row (without the marks of Thai and
-- Lao), and what touches them in figures and Latin letters. Wide, Arabic and Indic ones as in ASCII.
        concat_ws(' ', said.text, (
            SELECT string_agg(translate(joined[1], '/', ' '), ' ')
            FROM regexp_matches(
                said.text,
                '(?:^|[^[:alnum:]/\\.:@_~$-])'
                '([^[:space:][:punct:][:digit:]](?:-?[^[:space:][:punct:]])+'
                '(?:/[^[:space:][:punct:][:digit:]](?:-?[^[:space:][:punct:]])+)+)'
                '(?![^[:space:][:punct:]]|[-/.:@_][^[:space:]])',
                'g') AS joined), (
            SELECT concat_ws(' ', (
                SELECT string_agg(pair.letters, ' ')
                FROM regexp_matches(said.text, written.letter || written.letter || '+', 'g') AS found
                CROSS JOIN LATERAL (
                    SELECT letter || lead(letter) OVER (ORDER BY place)
                    FROM string_to_table(regexp_replace(found[1], written.mark, '', 'g'), NULL)
                        WITH ORDINALITY AS run (letter, place)) AS pair (letters)), (
                SELECT translate(normalize(string_agg(found[1], ' '), NFKC),
                                 '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९', '012345678901234567890123456789')
                FROM regexp_matches(
                    said.text,
                    '(?<=' || written.letter || ')' || written.sign || '+'
                    '|' || written.sign || '+(?=' || written.letter || ')'
                    '|' || written.sign || '*' || written.wide || written.sign || '*',
                    'g') AS found))
            FROM (VALUES (
                '[\u0e01-\u0eff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]',
                '[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece]',
                '[0-9A-Za-z.,\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]',
                '[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]'
            )) AS written (letter, mark, sign, wide)
            WHERE said.text ~ (written.letter || '|' || written.wide)))
