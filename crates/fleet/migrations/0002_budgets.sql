-- Budgets in rolling windows that are never exceeded.
--
-- Whoever takes holds the rows of all budgets concerned, in one order, and only
-- then reads the clock: a time read before a lock was waited for is a time in
-- the past, and would let one too many through. `last_at` keeps time from running
-- backwards after a failover to a server whose clock is behind.
--
-- A grant is good for `fresh`; its holder drops it after that. It counts for
-- `span + fresh`, so that no window of *use* ever holds more than `most`, even
-- where grants are used as late as they may be.

create table budget (
    scope    text not null check (length(scope) <= 255),
    unit     text not null check (unit in ('calls', 'tokens', 'micro_usd')),
    most     bigint not null check (most > 0),
    span     interval not null check (span between '1 second' and '31 days'),
    fresh    interval not null check (fresh > '0' and fresh <= span / 2),
    last_at  timestamptz not null default '-infinity',
    -- What is granted and not yet settled.
    reserved bigint not null default 0 check (reserved >= 0),
    -- What was used, and since when it counts; oldest first.
    used_at  timestamptz[] not null default '{}',
    used     bigint[] not null default '{}',
    primary key (scope, unit)
) with (fillfactor = 20);

-- Every grant, by the name that the taker gave it: asking twice under one name is
-- asking once.
create table budget_grant (
    idem       text not null check (length(idem) between 8 and 64),
    scope      text not null,
    unit       text not null,
    amount     bigint not null check (amount > 0),
    at         timestamptz not null,
    worker     text not null,
    task       text,
    fence      bigint,
    settled    bigint,
    settled_at timestamptz,
    abandoned  boolean not null default false,
    primary key (idem, scope, unit)
);
create index budget_grant_open on budget_grant(scope, unit, at) where settled_at is null;
create index budget_grant_age on budget_grant using brin (at);

create function live_uses(b budget, p_now timestamptz)
returns table (at timestamptz, amount bigint) language sql immutable as $$
    select u.at, u.amount from unnest(b.used_at, b.used) as u(at, amount)
    where u.at > p_now - b.span - b.fresh order by u.at;
$$;

create function room(b budget, p_now timestamptz)
returns bigint language sql immutable set search_path = fusebox, pg_temp as $$
    select b.most - b.reserved - coalesce((select sum(amount) from live_uses(b, p_now)), 0)::bigint;
$$;

-- Since when a reservation that nobody settled has been given up: its work may have
-- run for a window, and what it used at its end counts for another.
create function given_up_before(b budget, p_now timestamptz)
returns timestamptz language sql immutable as $$
    select p_now - b.span * 2 - b.fresh;
$$;

-- How long until `p_amount` is free at the latest; null for never.
create function wait_for(b budget, p_now timestamptz, p_amount bigint)
returns interval language sql stable set search_path = fusebox, pg_temp as $$
    select min(leaves) - p_now from (
        select leaves, sum(amount) over (order by leaves) as freed from (
            select at + b.span + b.fresh as leaves, amount from live_uses(b, p_now)
            union all
            select g.at + b.span * 2 + b.fresh, g.amount from budget_grant g
            where g.scope = b.scope and g.unit = b.unit and g.settled_at is null
        ) as held
    ) as freeing
    where freed >= p_amount - room(b, p_now) and p_amount <= b.most;
$$;

-- Writes down that `p_amount` was used, as of now. Up to 40 uses are kept apart;
-- beyond that, uses in the same fortieth of a window become one that counts from
-- the last of them, so that a row stays small and nothing is forgotten early.
create function enter_use(b budget, p_now timestamptz, p_amount bigint, p_reserved bigint)
returns void language plpgsql set search_path = fusebox, pg_temp as $$
declare
    v_at timestamptz[];
    v_used bigint[];
    v_last int;
    v_slice double precision := date_part('epoch', b.span) / 40;
begin
    select coalesce(array_agg(u.at), '{}'), coalesce(array_agg(u.amount), '{}')
    into v_at, v_used from live_uses(b, p_now) u;
    v_last := cardinality(v_at);
    if p_amount = 0 then
        null;
    elsif v_last >= 40 and floor(date_part('epoch', v_at[v_last]) / v_slice)
                         = floor(date_part('epoch', p_now) / v_slice) then
        v_at[v_last] := p_now;
        v_used[v_last] := v_used[v_last] + p_amount;
    else
        v_at := v_at || p_now;
        v_used := v_used || p_amount;
    end if;
    update budget set last_at = p_now, used_at = v_at, used = v_used, reserved = reserved + p_reserved
    where scope = b.scope and unit = b.unit;
end $$;

-- Lets go of reservations that were given up, and says how much that was.
create function forget_abandoned(b budget, p_now timestamptz)
returns bigint language plpgsql set search_path = fusebox, pg_temp as $$
declare
    v_freed bigint;
begin
    with gone as (
        update budget_grant set settled = 0, settled_at = p_now, abandoned = true
        where scope = b.scope and unit = b.unit and settled_at is null
          and at <= given_up_before(b, p_now)
        returning amount
    )
    select coalesce(sum(amount), 0) into v_freed from gone;
    if v_freed > 0 then
        update budget set reserved = reserved - v_freed where scope = b.scope and unit = b.unit;
    end if;
    return v_freed;
end $$;

create type take_answer as (
    verdict  text,     -- granted, refused or halted
    scope    text,     -- the budget or breaker that said no
    unit     text,
    wait_ms  bigint,   -- until it may be tried again; null for never
    fresh_ms bigint,   -- how long the grant is good for
    epoch    bigint,   -- of the latest halt or release over these scopes
    reason   text,
    at_us    bigint    -- the clock of this server
);

create function micros(p_at timestamptz)
returns bigint language sql immutable as $$
    select (date_part('epoch', p_at) * 1000000)::bigint;
$$;

create function millis(p_span interval)
returns bigint language sql immutable as $$
    select ceil(date_part('epoch', p_span) * 1000)::bigint;
$$;

-- Takes from every budget over these scopes, or from none.
create function take(
    p_worker text, p_idem text, p_scopes text[],
    p_calls bigint, p_tokens bigint, p_micro_usd bigint, p_task text, p_fence bigint)
returns take_answer language plpgsql security definer set search_path = fusebox, pg_temp as $$
declare
    b budget;
    v_held budget[] := '{}';
    v_amount bigint;
    v_now timestamptz;
    v_granted timestamptz;
    v_fresh interval;
    v_halt breaker;
    a take_answer;
begin
    if least(p_calls, p_tokens, p_micro_usd) < 0 then
        raise exception 'an amount below nothing';
    end if;
    select max(epoch) into a.epoch from breaker where scope = any(p_scopes);
    v_halt := halt_over(p_scopes);
    if v_halt.open then
        a.verdict := 'halted'; a.scope := v_halt.scope; a.reason := v_halt.reason;
        a.at_us := micros(clock_timestamp());
        return a;
    end if;

    -- Asked for before, and the answer did not arrive.
    select max(g.at), min(coalesce(u.fresh, '0'))
    into v_granted, v_fresh
    from budget_grant g left join budget u using (scope, unit)
    where g.idem = p_idem;
    if v_granted is not null then
        v_now := clock_timestamp();
        a.verdict := 'granted'; a.at_us := micros(v_now);
        a.fresh_ms := greatest(millis(v_granted + v_fresh - v_now), 0);
        return a;
    end if;

    -- Whoever is refused anyway need not hold up the others. This look may be out of
    -- date, which makes it refuse what is free by now, and never the other way round.
    for b in select * from budget t where t.scope = any(p_scopes) loop
        v_amount := case b.unit when 'calls' then p_calls when 'tokens' then p_tokens else p_micro_usd end;
        continue when v_amount = 0;
        v_now := greatest(clock_timestamp(), b.last_at);
        if room(b, v_now) < v_amount and not exists (
            select from budget_grant g where g.scope = b.scope and g.unit = b.unit
               and g.settled_at is null and g.at <= given_up_before(b, v_now))
        then
            a.verdict := 'refused'; a.scope := b.scope; a.unit := b.unit; a.at_us := micros(clock_timestamp());
            a.wait_ms := millis(wait_for(b, v_now, v_amount));
            return a;
        end if;
    end loop;

    for b in select * from budget t where t.scope = any(p_scopes) order by t.scope, t.unit for update loop
        v_held := v_held || b;
    end loop;
    v_now := clock_timestamp();
    v_fresh := '1 day';
    for i in 1 .. cardinality(v_held) loop
        b := v_held[i];
        v_amount := case b.unit when 'calls' then p_calls when 'tokens' then p_tokens else p_micro_usd end;
        continue when v_amount = 0;
        v_now := greatest(v_now, b.last_at);
        if room(b, v_now) < v_amount then
            b.reserved := b.reserved - forget_abandoned(b, v_now);
            v_held[i] := b;
        end if;
        if room(b, v_now) < v_amount then
            -- Nothing was granted, so nobody need wait for the disk.
            perform set_config('synchronous_commit', 'off', true);
            a.verdict := 'refused'; a.scope := b.scope; a.unit := b.unit; a.at_us := micros(clock_timestamp());
            a.wait_ms := millis(wait_for(b, v_now, v_amount));
            return a;
        end if;
        v_fresh := least(v_fresh, b.fresh);
    end loop;
    for i in 1 .. cardinality(v_held) loop
        b := v_held[i];
        v_amount := case b.unit when 'calls' then p_calls when 'tokens' then p_tokens else p_micro_usd end;
        continue when v_amount = 0;
        if b.unit = 'calls' then
            perform enter_use(b, v_now, v_amount, 0);
        else
            perform enter_use(b, v_now, 0, v_amount);
        end if;
        insert into budget_grant(idem, scope, unit, amount, at, worker, task, fence, settled, settled_at)
        values (p_idem, b.scope, b.unit, v_amount, v_now, p_worker, p_task, p_fence,
                case b.unit when 'calls' then v_amount end, case b.unit when 'calls' then v_now end);
    end loop;
    a.verdict := 'granted'; a.at_us := micros(v_now); a.fresh_ms := millis(v_fresh);
    return a;
end $$;

-- What was reserved under a name was used so far. Not knowing counts as all of it.
create function settle(p_idem text, p_tokens bigint, p_micro_usd bigint)
returns void language plpgsql security definer set search_path = fusebox, pg_temp as $$
declare
    b budget;
    g budget_grant;
    v_actual bigint;
begin
    for b in
        select t.* from budget t join budget_grant o using (scope, unit)
        where o.idem = p_idem and t.unit <> 'calls'
        order by t.scope, t.unit for update of t
    loop
        select * into g from budget_grant o
        where o.idem = p_idem and o.scope = b.scope and o.unit = b.unit
          and (o.settled_at is null or o.abandoned);
        continue when not found;
        v_actual := greatest(coalesce(case b.unit when 'tokens' then p_tokens else p_micro_usd end, g.amount), 0);
        perform enter_use(b, greatest(clock_timestamp(), b.last_at), v_actual,
                          case when g.abandoned then 0 else -g.amount end);
        update budget_grant set settled = v_actual, settled_at = clock_timestamp(), abandoned = false
        where idem = p_idem and scope = b.scope and unit = b.unit;
    end loop;
end $$;

create function set_budget(p_scope text, p_unit text, p_most bigint, p_span_ms bigint)
returns void language sql security definer set search_path = fusebox, pg_temp as $$
    insert into budget(scope, unit, most, span, fresh)
    values (p_scope, p_unit, p_most, p_span_ms * interval '1 millisecond',
            least(interval '30 seconds', p_span_ms * interval '1 millisecond' / 10))
    on conflict (scope, unit) do update set most = excluded.most, span = excluded.span, fresh = excluded.fresh;
$$;

create function drop_budget(p_scope text, p_unit text)
returns boolean language sql security definer set search_path = fusebox, pg_temp as $$
    with gone as (delete from budget where scope = p_scope and unit = p_unit returning 1)
    select exists (select from gone);
$$;
