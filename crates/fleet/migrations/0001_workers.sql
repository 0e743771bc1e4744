-- Who takes part, and what stops them.
--
-- Times that decide anything are read from the clock of this server, by the
-- statement that decides. Workers send none.

create table worker (
    id         text primary key check (length(id) between 8 and 64),
    host       text not null check (length(host) <= 255),
    version    text not null check (length(version) <= 64),
    repository text not null check (length(repository) between 1 and 200),
    agent      text check (length(agent) <= 64),
    started_at timestamptz not null default clock_timestamp(),
    seen_at    timestamptz not null default clock_timestamp(),
    -- The number of its last event that has arrived.
    delivered  bigint not null default 0
) with (fillfactor = 70);

-- A breaker over a scope: 'fleet', 'team:…', 'repo:…' or 'agent:…'. A scope
-- without a row has never been halted.
create table breaker (
    scope      text primary key check (length(scope) <= 255),
    open       boolean not null,
    -- Rises with every halt and every release, in the whole fleet.
    epoch      bigint not null,
    reason     text not null,
    incident   bigint,
    changed_at timestamptz not null default clock_timestamp(),
    changed_by text not null
);
create sequence halt_epoch;

create table setting (
    only_row    boolean primary key default true check (only_row),
    retain_days int not null default 30 check (retain_days between 1 and 3650)
);
insert into setting default values;

create function enrol(p_worker text, p_host text, p_version text, p_repository text, p_agent text)
returns void language sql security definer set search_path = fusebox, pg_temp as $$
    insert into worker(id, host, version, repository, agent)
    values (p_worker, p_host, p_version, p_repository, p_agent)
    on conflict (id) do update set
        host = excluded.host, version = excluded.version, agent = excluded.agent,
        repository = excluded.repository, seen_at = clock_timestamp();
$$;

-- The gravest halt over any of these scopes: the latest.
create function halt_over(p_scopes text[])
returns breaker language sql stable security definer set search_path = fusebox, pg_temp as $$
    select b from breaker b where b.scope = any(p_scopes) and b.open order by b.epoch desc limit 1;
$$;

-- Anyone may halt. A halt that stands keeps its reason: the first one counts.
create function halt(p_scope text, p_reason text, p_by text, p_incident bigint default null)
returns bigint language plpgsql security definer set search_path = fusebox, pg_temp as $$
declare
    v_epoch bigint;
begin
    insert into breaker as b (scope, open, epoch, reason, incident, changed_by)
    values (p_scope, true, nextval('halt_epoch'), left(p_reason, 2000), p_incident, left(p_by, 200))
    on conflict (scope) do update set
        open = true, epoch = excluded.epoch, reason = excluded.reason,
        incident = excluded.incident, changed_at = clock_timestamp(), changed_by = excluded.changed_by
    where not b.open
    returning epoch into v_epoch;
    return v_epoch;
end $$;
