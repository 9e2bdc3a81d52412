-- This transaction's statements may take as long as the function that runs them.
SELECT set_config('statement_timeout', '240s', true);
