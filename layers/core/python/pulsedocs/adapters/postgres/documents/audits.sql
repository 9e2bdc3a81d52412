-- name: audit_events
-- Who did what, newest first, from a time and an id on.
SELECT event_id, at, actor, action, object, outcome, detail
FROM audit_event
WHERE tenant_id = %(tenant_id)s
    AND (%(at)s::timestamptz IS NULL
         OR (at, event_id) < (%(at)s::timestamptz, %(event_id)s::uuid))
ORDER BY at DESC, event_id DESC
LIMIT %(limit)s;
