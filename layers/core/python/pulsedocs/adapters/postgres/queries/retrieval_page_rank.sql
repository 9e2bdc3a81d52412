-- The best place that a page's chunks take in a leg that is read to its end.
SELECT ranked.rank, ranked.score
FROM ({leg}) AS ranked
WHERE ranked.document_id = %(asked_document)s
    AND %(asked_page)s BETWEEN ranked.page_start AND ranked.page_end
ORDER BY ranked.rank
LIMIT 1
