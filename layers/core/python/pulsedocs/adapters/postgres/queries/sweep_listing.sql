-- One page of ids, of every tenant, of what a part of the sweep looks at.
SELECT tenant_id, subject_id
FROM sweep_listing(%(wanted)s, %(after_tenant)s, %(after_subject)s, %(limit)s);
