-- Who has which task and until when, and from how many on a pattern is one: for
-- whoever may look.

create function leases()
returns table (repository text, task text, owner text, host text, fence bigint, attempt int, left_ms bigint)
language sql stable security definer set search_path = fusebox, pg_temp as $$
    select t.repository, t.id, t.owner, w.host, t.fence, t.attempt, millis(t.lease_until - clock_timestamp())
    from task t left join worker w on w.id = t.owner
    where t.state = 'running' order by t.lease_until, t.repository, t.id limit 1000;
$$;

create function patterns()
returns table (name text, threshold int, span_ms bigint, severity text, halts boolean, about text)
language sql stable security definer set search_path = fusebox, pg_temp as $$
    select p.name, p.threshold, millis(p.span), p.severity, p.halts, p.about from pattern p order by p.name;
$$;

revoke all on function leases(), patterns() from public;
grant execute on function leases(), patterns() to fusebox_worker, fusebox_operator;
