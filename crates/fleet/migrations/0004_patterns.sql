-- Patterns across tasks and workers: one incident for each, and a halt that reaches
-- no further than the repository it was seen in.

create table pattern (
    name      text primary key,
    threshold int not null check (threshold between 2 and 1000),
    span      interval not null check (span between '1 second' and '31 days'),
    severity  text not null,
    halts     boolean not null default true,
    about     text not null
);
insert into pattern(name, threshold, span, severity, about) values
    ('error_cluster',           3, '1 day',  'ARCHITECTURE_FLAW',   'Same error on several tasks'),
    ('service_down',            3, '1 hour', 'EXTERNAL_DEPENDENCY', 'Same outside trouble on several workers'),
    ('retry_cluster',           3, '7 days', 'ARCHITECTURE_FLAW',   'Same error type recurring across tasks'),
    ('debt_accumulation',       3, '7 days', 'SCOPE_FLAW',          'Multiple trade-offs creating debt'),
    ('assumption_cascade',      2, '7 days', 'SPEC_FLAW',           'Same assumption failing across tasks'),
    ('workaround_pattern',      2, '7 days', 'ARCHITECTURE_FLAW',   'Multiple workarounds for similar issues'),
    ('spec_gap_cluster',        2, '7 days', 'SPEC_FLAW',           'Multiple tasks hitting spec ambiguity'),
    ('external_service_outage', 2, '7 days', 'EXTERNAL_DEPENDENCY', 'Same external service blocking multiple tasks');

-- What is counted: one row for each key, held while it is counted, and one for each
-- member. Two that arrive at once would otherwise each miss the other.
create table cluster (
    repository text not null,
    pattern    text not null references pattern,
    key        text not null check (length(key) <= 600),
    primary key (repository, pattern, key)
);
create table cluster_member (
    repository text not null,
    pattern    text not null,
    key        text not null,
    member     text not null check (length(member) <= 600),
    at         timestamptz not null default clock_timestamp(),
    primary key (repository, pattern, key, member),
    foreign key (repository, pattern, key) references cluster on delete cascade
);

create table incident (
    id          bigint generated always as identity primary key,
    scope       text not null,
    pattern     text not null,
    key         text not null,
    severity    text not null,
    members     text[] not null,
    opened_at   timestamptz not null default clock_timestamp(),
    resolved_at timestamptz,
    resolution  text,
    resolved_by text
);
create unique index incident_once on incident(scope, pattern, key) where resolved_at is null;

-- Counts one more member, and halts the repository if that makes a pattern.
create function mark(p_worker text, p_repository text, p_pattern text, p_key text, p_member text)
returns void language plpgsql set search_path = fusebox, pg_temp as $$
declare
    r pattern;
    v_members text[];
    v_incident bigint;
    v_scope text := 'repo:' || p_repository;
begin
    select * into r from pattern where name = p_pattern;
    if not found then
        return;  -- A later release counts more than this schema knows.
    end if;
    insert into cluster as c values (p_repository, p_pattern, left(p_key, 600))
    on conflict (repository, pattern, key) do update set key = c.key;
    insert into cluster_member(repository, pattern, key, member)
    values (p_repository, p_pattern, left(p_key, 600), left(p_member, 600))
    on conflict (repository, pattern, key, member) do update set at = clock_timestamp();
    select array_agg(m.member order by m.at) into v_members from (
        select member, at from cluster_member
        where repository = p_repository and pattern = p_pattern and key = left(p_key, 600)
          and at > clock_timestamp() - r.span
        order by at desc limit 100) m;
    if cardinality(v_members) < r.threshold then
        return;
    end if;
    insert into incident(scope, pattern, key, severity, members)
    values (v_scope, p_pattern, left(p_key, 600), r.severity, v_members)
    on conflict (scope, pattern, key) where resolved_at is null do update set members = excluded.members
    returning id into v_incident;
    if r.halts then
        perform halt(v_scope, r.about || ': ' || left(p_key, 200) || ' (' || cardinality(v_members) || ')',
                     p_worker, v_incident);
    end if;
end $$;

-- An incident that a worker saw by itself and that stops nobody else.
create function report_incident(p_worker text, p_scope text, p_pattern text, p_key text, p_severity text)
returns void language sql security definer set search_path = fusebox, pg_temp as $$
    insert into incident(scope, pattern, key, severity, members)
    values (p_scope, left(p_pattern, 100), left(p_key, 600), left(p_severity, 100), array[p_worker])
    on conflict (scope, pattern, key) where resolved_at is null do nothing;
$$;

-- A person lets a scope go on. What was evidence counts no longer.
create function resume(p_scope text, p_resolution text, p_by text)
returns boolean language plpgsql security definer set search_path = fusebox, pg_temp as $$
begin
    update incident set resolved_at = clock_timestamp(), resolution = left(p_resolution, 2000), resolved_by = left(p_by, 200)
    where scope = p_scope and resolved_at is null;
    delete from cluster c where 'repo:' || c.repository = p_scope;
    update breaker set open = false, epoch = nextval('halt_epoch'), reason = left(p_resolution, 2000),
        incident = null, changed_at = clock_timestamp(), changed_by = left(p_by, 200)
    where scope = p_scope and open;
    return found;
end $$;

create function set_pattern(p_name text, p_threshold int, p_span_ms bigint, p_halts boolean)
returns boolean language plpgsql security definer set search_path = fusebox, pg_temp as $$
begin
    update pattern set threshold = coalesce(p_threshold, threshold), halts = coalesce(p_halts, halts),
        span = coalesce(p_span_ms * interval '1 millisecond', span)
    where name = p_name;
    return found;
end $$;
