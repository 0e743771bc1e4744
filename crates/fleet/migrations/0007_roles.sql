-- Who may do what. A worker's password lies on a machine that an agent works on, so
-- it is worth no more than a worker may do: take, claim, deliver, halt. Limits and
-- releases are an operator's, and operators are people.

do $$
declare
    v_role text;
begin
    foreach v_role in array array['fusebox_worker', 'fusebox_operator'] loop
        begin
            execute format('create role %I nologin', v_role);
        exception when duplicate_object or unique_violation then
            null;
        end;
    end loop;
end $$;

revoke all on all tables in schema fusebox from public;
revoke all on all functions in schema fusebox from public;
revoke all on all sequences in schema fusebox from public;
grant usage on schema fusebox to fusebox_worker, fusebox_operator;
grant execute on function
    enrol(text, text, text, text, text),
    take(text, text, text[], bigint, bigint, bigint, text, bigint),
    settle(text, bigint, bigint),
    offer(text, text[]),
    claim(text, text, text, bigint),
    claim_any(text, text, bigint),
    beat(text, text, text[], bigint[], bigint),
    finish(text, text, text, bigint, text, text),
    deliver(text, bigint, text),
    halt(text, text, text, bigint),
    report_incident(text, text, text, text, text),
    events_after(bigint, bigint, int),
    tend(),
    overview(),
    roll()
to fusebox_worker, fusebox_operator;
grant execute on function
    set_budget(text, text, bigint, bigint),
    drop_budget(text, text),
    set_pattern(text, int, bigint, boolean),
    set_retention(int),
    resume(text, text, text),
    reopen(text, text)
to fusebox_operator;
grant select on migration to fusebox_worker, fusebox_operator;
