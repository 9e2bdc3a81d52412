-- One migration that has just run.
INSERT INTO public.pulsedocs_migrations (name, checksum)
VALUES (%(name)s, %(checksum)s);
