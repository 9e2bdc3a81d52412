-- What a tenant may take in a day: limits of its own, what a day has taken, and what is held of it.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

-- Limits that stand in the place of the stage's, all three together; null is no limit.
CREATE TABLE tenant_budget (
    tenant_id            uuid PRIMARY KEY,
    pages_per_day        bigint CHECK (pages_per_day >= 0),
    tokens_per_day       bigint CHECK (tokens_per_day >= 0),
    microdollars_per_day bigint CHECK (microdollars_per_day >= 0),
    changed_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_by           text NOT NULL
);

-- A day of UTC. Whoever spends locks this one row, for as long as it takes to write a number.
CREATE TABLE budget_day (
    tenant_id             uuid NOT NULL,
    day                   date NOT NULL,
    pages_used            bigint NOT NULL DEFAULT 0 CHECK (pages_used >= 0),
    pages_reserved        bigint NOT NULL DEFAULT 0 CHECK (pages_reserved >= 0),
    tokens_used           bigint NOT NULL DEFAULT 0 CHECK (tokens_used >= 0),
    tokens_reserved       bigint NOT NULL DEFAULT 0 CHECK (tokens_reserved >= 0),
    microdollars_used     bigint NOT NULL DEFAULT 0 CHECK (microdollars_used >= 0),
    microdollars_reserved bigint NOT NULL DEFAULT 0 CHECK (microdollars_reserved >= 0),
    PRIMARY KEY (tenant_id, day)
);

-- What one holder (a document version with a model, a question) holds of a day, until it settles.
CREATE TABLE budget_reservation (
    tenant_id    uuid NOT NULL,
    holder       uuid NOT NULL,
    model        text NOT NULL,
    day          date NOT NULL,
    pages        bigint NOT NULL DEFAULT 0 CHECK (pages >= 0),
    tokens       bigint NOT NULL DEFAULT 0 CHECK (tokens >= 0),
    microdollars bigint NOT NULL DEFAULT 0 CHECK (microdollars >= 0),
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, holder, model)
);
CREATE INDEX budget_reservation_expiry ON budget_reservation (tenant_id, expires_at);

CALL isolate_tenant_tables();

GRANT SELECT ON tenant_budget, budget_day, budget_reservation
TO pulsedocs_api, pulsedocs_ingest, pulsedocs_query, pulsedocs_sweep;
GRANT INSERT, UPDATE, DELETE ON tenant_budget TO pulsedocs_api;
GRANT INSERT, UPDATE ON budget_day TO pulsedocs_ingest, pulsedocs_query;
GRANT INSERT, UPDATE, DELETE ON budget_reservation TO pulsedocs_ingest, pulsedocs_query;
GRANT UPDATE ON budget_day TO pulsedocs_sweep;
GRANT UPDATE, DELETE ON budget_reservation TO pulsedocs_sweep;
