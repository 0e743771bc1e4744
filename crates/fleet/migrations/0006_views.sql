-- How the fleet stands, for whoever may look: workers and operators.

create function overview()
returns text language sql stable security definer set search_path = fusebox, pg_temp as $$
    select json_build_object(
        'now_ms', (date_part('epoch', clock_timestamp()) * 1000)::bigint,
        'workers', (select count(*) from worker where seen_at > clock_timestamp() - interval '2 minutes'),
        'known_workers', (select count(*) from worker),
        'tasks', (select coalesce(json_object_agg(state, n), '{}') from (select state, count(*) n from task group by 1) s),
        'expired', (select count(*) from task where state = 'running' and lease_until < clock_timestamp()),
        'events', (select coalesce(sum(delivered), 0) from worker),
        'budgets', (select coalesce(json_agg(json_build_object(
                'scope', b.scope, 'unit', b.unit, 'most', b.most, 'span_ms', millis(b.span),
                'used', b.most - room(b, greatest(clock_timestamp(), b.last_at)), 'reserved', b.reserved,
                'next_ms', case when room(b, greatest(clock_timestamp(), b.last_at)) < 1
                           then millis(wait_for(b, greatest(clock_timestamp(), b.last_at), 1)) else 0 end)
                order by b.scope, b.unit), '[]') from budget b),
        'halts', (select coalesce(json_agg(json_build_object(
                'scope', scope, 'epoch', epoch, 'reason', reason, 'by', changed_by,
                'since_ms', (date_part('epoch', changed_at) * 1000)::bigint) order by epoch), '[]') from breaker where open),
        'incidents', (select coalesce(json_agg(json_build_object(
                'id', id, 'scope', scope, 'pattern', pattern, 'key', key, 'severity', severity, 'members', members,
                'opened_ms', (date_part('epoch', opened_at) * 1000)::bigint) order by id), '[]')
                from incident where resolved_at is null)
    )::text;
$$;

create function roll()
returns table (id text, host text, version text, repository text, agent text, seen_ms bigint, delivered bigint, tasks text[])
language sql stable security definer set search_path = fusebox, pg_temp as $$
    select w.id, w.host, w.version, w.repository, w.agent,
           millis(clock_timestamp() - w.seen_at), w.delivered,
           array(select t.id from task t where t.owner = w.id and t.state = 'running' order by t.id limit 20)
    from worker w order by w.seen_at desc limit 1000;
$$;
