-- Events: what the journals of the workers say, in one place.
--
-- A worker delivers in the order of its journal, so the number of the last one that
-- arrived is all it takes to know a batch again, however often and however late it
-- is sent. There is no index to keep unique over months, and a month can be dropped.

create table event (
    id         bigint generated always as identity,
    -- The transaction that wrote it: ids are handed out before they are committed.
    xid        xid8 not null default pg_current_xact_id(),
    at         timestamptz not null default clock_timestamp(),
    worker     text not null,
    number     bigint not null,
    repository text not null,
    task       text,
    fence      bigint,
    kind       text not null,
    fields     jsonb not null
) partition by range (at);
create index event_order on event(xid, id);
create table event_rest partition of event default;

-- Delivers a batch and answers with the number of the last event that has arrived.
create function deliver(p_worker text, p_through bigint, p_events text)
returns bigint language plpgsql security definer set search_path = fusebox, pg_temp as $$
declare
    v_delivered bigint;
    v_repository text;
    m record;
begin
    select delivered, repository into v_delivered, v_repository from worker where id = p_worker for update;
    if not found then
        raise exception 'no such worker';
    end if;
    if p_through <= v_delivered then
        return v_delivered;
    end if;
    insert into event(worker, number, repository, task, fence, kind, fields)
    select p_worker, e.number, v_repository, left(e.task, 500), e.fence, left(e.kind, 64), coalesce(e.fields, '{}')
    from jsonb_to_recordset(p_events::jsonb)
         as e(number bigint, task text, fence bigint, kind text, fields jsonb)
    where e.number > v_delivered and e.number <= p_through
    order by e.number;
    -- In one order, whoever delivers: two batches never wait for each other in a circle.
    for m in
        select distinct k.pattern, k.key, k.member
        from jsonb_to_recordset(p_events::jsonb) as e(number bigint, marks jsonb),
             jsonb_to_recordset(e.marks) as k(pattern text, key text, member text)
        where e.number > v_delivered and e.number <= p_through
        order by 1, 2, 3
    loop
        perform mark(p_worker, v_repository, m.pattern, m.key, m.member);
    end loop;
    update worker set delivered = p_through, seen_at = clock_timestamp() where id = p_worker;
    return p_through;
end $$;

-- Events behind a place, in an order in which none is ever missed: one that is
-- committed late is behind every place that was handed out before. What is still
-- being written is not shown, nor is anything after it.
create function events_after(p_xid bigint, p_id bigint, p_most int)
returns table (xid bigint, id bigint, at_ms bigint, worker text, number bigint, repository text, task text, kind text, fields text)
language sql stable security definer set search_path = fusebox, pg_temp as $$
    select e.xid::text::bigint, e.id, (date_part('epoch', e.at) * 1000)::bigint, e.worker, e.number,
           e.repository, e.task, e.kind, e.fields::text
    from event e
    where (e.xid, e.id) > (p_xid::text::xid8, p_id) and e.xid < pg_snapshot_xmin(pg_current_snapshot())
    order by e.xid, e.id limit least(p_most, 10000);
$$;

-- Makes the partitions of the days to come and drops those that are old enough. Only
-- one at a time does it; the others have nothing to do.
create function tend()
returns void language plpgsql security definer set search_path = fusebox, pg_temp as $$
declare
    v_day date;
    v_name text;
    v_retain int;
begin
    if not pg_try_advisory_xact_lock(hashtext('fusebox.tend')) then
        return;
    end if;
    select retain_days into v_retain from setting;
    for v_day in select d::date from generate_series(current_date, current_date + 3, '1 day') as d loop
        v_name := 'event_' || to_char(v_day, 'YYYYMMDD');
        continue when to_regclass('fusebox.' || v_name) is not null;
        begin
            execute format('create table %I partition of event for values from (%L) to (%L)', v_name,
                           v_day::timestamptz, (v_day + 1)::timestamptz);
        exception when check_violation then
            -- That day has events among the rest, and they stay there.
            null;
        end;
    end loop;
    for v_name in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'event'::regclass and c.relname ~ '^event_[0-9]{8}$'
          and to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - v_retain
    loop
        execute format('drop table %I', v_name);
    end loop;
    delete from event_rest where at < clock_timestamp() - v_retain * interval '1 day';
    delete from cluster_member m using pattern p where p.name = m.pattern and m.at < clock_timestamp() - p.span;
    delete from cluster c where not exists (
        select from cluster_member m where (m.repository, m.pattern, m.key) = (c.repository, c.pattern, c.key));
    delete from budget_grant g where g.settled_at is not null and g.at < clock_timestamp() - interval '63 days';
    delete from worker w where w.seen_at < clock_timestamp() - v_retain * interval '1 day'
        and not exists (select from task t where t.owner = w.id);
end $$;

create function set_retention(p_days int)
returns void language sql security definer set search_path = fusebox, pg_temp as $$
    update setting set retain_days = p_days;
$$;
select tend();
