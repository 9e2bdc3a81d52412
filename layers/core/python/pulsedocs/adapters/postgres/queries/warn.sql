-- What people should know of a version, after what was said before; nothing is said twice.
UPDATE document_version
SET warnings = warnings || ARRAY(
    SELECT said.text
    FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS said (text, place)
    WHERE said.text <> ALL (warnings)
    ORDER BY said.place)
WHERE tenant_id = %(tenant_id)s AND document_id = %(document_id)s AND version = %(version)s;
