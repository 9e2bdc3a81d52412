-- name: usage_spent
-- What calls of a tenant took within some days, added up by one key; the most tokens first, and one
-- row for all keys behind the first ones.
WITH by_key AS (
    SELECT CASE %(by)s::text
               WHEN 'user_id' THEN usage.user_id
               WHEN 'method' THEN usage.method
               WHEN 'source' THEN usage.source
               WHEN 'model' THEN usage.model
               WHEN 'day' THEN to_char(usage.settled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')
           END AS key,
           count(*) AS calls,
           sum(usage.input_tokens)::bigint AS input_tokens,
           sum(usage.output_tokens)::bigint AS output_tokens,
           coalesce(sum(usage.cost_usd), 0)::double precision AS cost_usd,
           count(*) FILTER (WHERE usage.cost_usd IS NULL) AS unpriced
    FROM usage
    WHERE usage.tenant_id = %(tenant_id)s
        AND usage.state = 'SETTLED'
        AND (%(first)s::date IS NULL
             OR usage.settled_at >= %(first)s::date::timestamp AT TIME ZONE 'UTC')
        AND (%(last)s::date IS NULL
             OR usage.settled_at < (%(last)s::date + 1)::timestamp AT TIME ZONE 'UTC')
    GROUP BY key
),
placed AS (
    SELECT by_key.*,
           least(%(most_keys)s + 1,
                 row_number() OVER (ORDER BY input_tokens + output_tokens DESC, key)) AS place
    FROM by_key
)
SELECT CASE WHEN place <= %(most_keys)s THEN min(key) END AS key,
       count(*) AS keys,
       sum(calls)::bigint AS calls,
       sum(input_tokens)::bigint AS input_tokens,
       sum(output_tokens)::bigint AS output_tokens,
       sum(cost_usd) AS cost_usd,
       sum(unpriced)::bigint AS unpriced
FROM placed
GROUP BY place
ORDER BY place;


-- name: usage_stored
-- What of a tenant is published, added up by one key, with the sizes of its chunks; most first, and
-- one row for all keys behind the first ones.
WITH piece AS (
    SELECT CASE %(by)s::text
               WHEN 'user_id' THEN document.metadata ->> 'user_id'
               WHEN 'method' THEN document_chunk.method
               WHEN 'source' THEN document.source
               WHEN 'model' THEN stage_model.model
               WHEN 'day' THEN to_char(document.published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')
           END AS key,
           document.document_id, document_version.page_count,
           document_chunk.chunk_id, document_chunk.tokens, document_chunk.characters
    FROM document
    JOIN document_version
        ON document_version.tenant_id = document.tenant_id
        AND document_version.document_id = document.document_id
        AND document_version.version = document.published_version
    JOIN document_chunk
        ON document_chunk.tenant_id = document.tenant_id
        AND document_chunk.document_id = document.document_id
        AND document_chunk.version = document.published_version
    LEFT JOIN chunk_embedding
        ON %(by)s::text = 'model'
        AND chunk_embedding.tenant_id = document.tenant_id
        AND chunk_embedding.document_id = document.document_id
        AND chunk_embedding.version = document.published_version
        AND chunk_embedding.chunk_id = document_chunk.chunk_id
    LEFT JOIN stage_model ON stage_model.model_id = chunk_embedding.model_id
    WHERE document.tenant_id = %(tenant_id)s
        AND (%(first)s::date IS NULL
             OR document.published_at >= %(first)s::date::timestamp AT TIME ZONE 'UTC')
        AND (%(last)s::date IS NULL
             OR document.published_at < (%(last)s::date + 1)::timestamp AT TIME ZONE 'UTC')
),
-- A document's pages count once for each key that its chunks have.
counted AS (
    SELECT piece.*,
           CASE WHEN row_number() OVER (PARTITION BY key, document_id) = 1
                THEN coalesce(page_count, 0) ELSE 0 END AS own_pages
    FROM piece
),
by_key AS (
    SELECT key,
           count(DISTINCT document_id) AS documents,
           sum(own_pages)::bigint AS pages,
           count(*) AS chunks,
           sum(tokens)::bigint AS tokens,
           min(tokens) AS least_tokens,
           max(tokens) AS most_tokens,
           sum(characters)::bigint AS characters
    FROM counted
    GROUP BY key
),
placed AS (
    SELECT by_key.*,
           least(%(most_keys)s + 1, row_number() OVER (ORDER BY chunks DESC, key)) AS place
    FROM by_key
)
SELECT CASE WHEN place <= %(most_keys)s THEN min(key) END AS key,
       count(*) AS keys,
       sum(documents)::bigint AS documents,
       sum(pages)::bigint AS pages,
       sum(chunks)::bigint AS chunks,
       sum(tokens)::bigint AS tokens,
       round(sum(tokens) / sum(chunks), 1)::double precision AS mean_tokens,
       min(least_tokens) AS least_tokens,
       max(most_tokens) AS most_tokens,
       round(sum(characters) / sum(chunks), 1)::double precision AS mean_characters
FROM placed
GROUP BY place
ORDER BY place;
