-- Leases: who works on which task, until when, and under which number.
--
-- The number (the fence) rises with every claim, and every write carries it. A worker
-- that was stopped and wakes up after its lease was given to another writes nothing,
-- whatever its own clock says.

create table task (
    repository  text not null check (length(repository) between 1 and 200),
    id          text not null check (length(id) between 1 and 500),
    state       text not null default 'ready' check (state in ('ready', 'running', 'done', 'blocked')),
    owner       text references worker,
    fence       bigint not null default 0,
    attempt     int not null default 0,
    lease_until timestamptz,
    changed_at  timestamptz not null default clock_timestamp(),
    note        text,
    primary key (repository, id)
) with (fillfactor = 70);
create index task_ready on task(repository, id) where state = 'ready';
create index task_lease on task(repository, lease_until) where state = 'running';

create type claim_answer as (
    verdict text,     -- claimed, taken, over (done or blocked), none or halted
    task    text,
    fence   bigint,
    attempt int,
    owner   text,
    wait_ms bigint,   -- until the lease of whoever has it ends; of a claim, since the last one ended
    reason  text
);

create function offer(p_repository text, p_tasks text[])
returns bigint language sql security definer set search_path = fusebox, pg_temp as $$
    with new as (
        insert into task(repository, id) select p_repository, t from unnest(p_tasks) as t
        on conflict do nothing returning 1
    )
    select count(*) from new;
$$;

create function lease(p_repository text, p_task text, p_worker text, p_ttl_ms bigint, p_ended timestamptz)
returns claim_answer language plpgsql set search_path = fusebox, pg_temp as $$
declare
    a claim_answer;
begin
    update task t set state = 'running', owner = p_worker, fence = t.fence + 1, attempt = t.attempt + 1,
        lease_until = clock_timestamp() + p_ttl_ms * interval '1 millisecond', changed_at = clock_timestamp()
    where t.repository = p_repository and t.id = p_task
    returning 'claimed', t.id, t.fence, t.attempt, t.owner into a.verdict, a.task, a.fence, a.attempt, a.owner;
    a.wait_ms := millis(clock_timestamp() - p_ended);
    return a;
end $$;

-- Claims one task by name; it need not have been offered.
create function claim(p_worker text, p_repository text, p_task text, p_ttl_ms bigint)
returns claim_answer language plpgsql security definer set search_path = fusebox, pg_temp as $$
declare
    t task;
    v_halt breaker;
    a claim_answer;
begin
    v_halt := halt_over(array['fleet', 'repo:' || p_repository]);
    if v_halt.open then
        a.verdict := 'halted'; a.reason := v_halt.reason;
        return a;
    end if;
    insert into task(repository, id) values (p_repository, p_task) on conflict do nothing;
    select * into t from task where repository = p_repository and id = p_task for update;
    a.task := t.id; a.owner := t.owner; a.reason := t.note; a.fence := t.fence; a.attempt := t.attempt;
    if t.state in ('done', 'blocked') then
        a.verdict := 'over'; a.reason := t.state || coalesce(': ' || t.note, '');
        return a;
    end if;
    if t.state = 'running' and t.lease_until >= clock_timestamp() and t.owner <> p_worker then
        a.verdict := 'taken'; a.wait_ms := millis(t.lease_until - clock_timestamp());
        return a;
    end if;
    return lease(p_repository, p_task, p_worker, p_ttl_ms, t.lease_until);
end $$;

-- Claims whichever task is to be had: first what somebody left behind.
create function claim_any(p_worker text, p_repository text, p_ttl_ms bigint)
returns claim_answer language plpgsql security definer set search_path = fusebox, pg_temp as $$
declare
    v_task text;
    v_ended timestamptz;
    v_halt breaker;
    a claim_answer;
begin
    v_halt := halt_over(array['fleet', 'repo:' || p_repository]);
    if v_halt.open then
        a.verdict := 'halted'; a.reason := v_halt.reason;
        return a;
    end if;
    select id, lease_until into v_task, v_ended from task
    where repository = p_repository and state = 'running' and lease_until < clock_timestamp()
    order by lease_until limit 1 for update skip locked;
    if not found then
        select id into v_task from task where repository = p_repository and state = 'ready'
        order by id limit 1 for update skip locked;
    end if;
    if v_task is null then
        a.verdict := 'none';
        return a;
    end if;
    return lease(p_repository, v_task, p_worker, p_ttl_ms, v_ended);
end $$;

-- A sign of life for a worker and all its leases; answers with those it still has.
-- A lease that has ended and that nobody else has taken goes on. Losing this to a
-- crash only shortens a lease, so nobody waits for the disk.
create function beat(p_worker text, p_repository text, p_tasks text[], p_fences bigint[], p_ttl_ms bigint)
returns setof text language plpgsql security definer set search_path = fusebox, pg_temp as $$
begin
    perform set_config('synchronous_commit', 'off', true);
    update worker set seen_at = clock_timestamp() where id = p_worker;
    return query
        update task t set lease_until = clock_timestamp() + p_ttl_ms * interval '1 millisecond'
        from unnest(p_tasks, p_fences) as held(id, fence)
        where t.repository = p_repository and t.id = held.id and t.fence = held.fence
          and t.owner = p_worker and t.state = 'running'
        returning t.id;
end $$;

-- The end of a lease. Saying the same twice is saying it once; saying anything
-- under a number that is over changes nothing.
create function finish(p_worker text, p_repository text, p_task text, p_fence bigint, p_state text, p_note text)
returns boolean language plpgsql security definer set search_path = fusebox, pg_temp as $$
begin
    if p_state not in ('ready', 'done', 'blocked') then
        raise exception 'no such end of a lease: %', p_state;
    end if;
    update task set state = p_state, note = left(p_note, 2000), lease_until = null, changed_at = clock_timestamp()
    where repository = p_repository and id = p_task and fence = p_fence and owner = p_worker and state = 'running';
    if found then
        return true;
    end if;
    return exists (select from task where repository = p_repository and id = p_task
                   and fence = p_fence and owner = p_worker and state = p_state);
end $$;

-- Takes up again what was done or given up. Whoever had it has it no longer.
create function reopen(p_repository text, p_task text)
returns boolean language plpgsql security definer set search_path = fusebox, pg_temp as $$
begin
    update task set state = 'ready', fence = fence + 1, lease_until = null, note = null, changed_at = clock_timestamp()
    where repository = p_repository and id = p_task;
    return found;
end $$;
