-- What a purge will look for when the text is gone; the first sample stays.
UPDATE deletion_receipt
SET sample = coalesce(sample, %(sample)s)
WHERE tenant_id = %(tenant_id)s AND receipt_id = %(receipt_id)s AND completed_at IS NULL
RETURNING sample;
