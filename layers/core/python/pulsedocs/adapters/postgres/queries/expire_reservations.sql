-- Reservations that nobody settled in time.
UPDATE usage
SET state = 'EXPIRED'
WHERE tenant_id = %(tenant_id)s AND state = 'RESERVED' AND expires_at < clock_timestamp();
