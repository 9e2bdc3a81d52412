-- What time it is, and whether the next statement is planned for its parameters, or for any.
SELECT clock_timestamp() AS at, set_config('plan_cache_mode', %(mode)s, true);
