-- What this very request has done, should it be asked a second time.
SELECT detail
FROM audit_event
WHERE tenant_id = %(tenant_id)s AND event_id = %(update_id)s;
