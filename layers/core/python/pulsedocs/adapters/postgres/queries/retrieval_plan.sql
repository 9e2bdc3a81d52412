-- Whether the next statement is planned for its parameters, or for any.
SELECT set_config('plan_cache_mode', %(mode)s, true);
