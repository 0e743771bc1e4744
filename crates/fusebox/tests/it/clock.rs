//! Whatever the clock does: no wait is shortened and no limit exceeded.

use crate::call::Call;
use crate::context::TestContext;

const DAY: &str = "2026-01-01T";

fn at(context: &TestContext, time: &str, args: &[&str]) -> Call {
    context.at(&format!("{DAY}{time}Z"), args)
}

/// Opens the breaker at noon.
fn open_at_noon(context: &TestContext) {
    for code in [0, 0, 42] {
        at(context, "12:00:00", &["record", "--files-changed", "0"])
            .run()
            .expect(code);
    }
}

#[test]
fn req_004_011_to_012_and_124_to_125_cooldown_probe_and_close() {
    let context = TestContext::new();
    open_at_noon(&context);
    at(&context, "12:29:59", &["check"]).run().expect(42);
    let peek = at(&context, "12:30:00", &["check", "--peek", "--json"])
        .run()
        .expect(0);
    assert_eq!(peek.json()["gate"], "allow-once");
    let probe = at(&context, "12:30:00", &["check", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(
        (&probe["state"], &probe["gate"]),
        (&"Probing".into(), &"allow-once".into())
    );
    at(&context, "12:31:00", &["check"])
        .run()
        .expect(42)
        .says("a probe is running");
    at(&context, "12:31:00", &["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let closed = at(&context, "12:31:01", &["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(closed["state"], "Closed");
    assert!(crate::answers::all_quiet(&closed), "{closed}");
}

/// Each failed probe doubles the wait; the third leaves it to a person.
#[test]
fn req_004_013_and_040_and_125_failed_probes_double_the_wait() {
    let context = TestContext::new();
    open_at_noon(&context);
    let fail = ["record", "--files-changed", "0"];
    for (start, too_soon, next) in [
        ("12:30:00", "13:29:59", "13:30:00"),
        ("13:30:00", "15:29:59", "15:30:00"),
    ] {
        at(&context, start, &["check"]).run().expect(0);
        let answer = at(
            &context,
            start,
            &["record", "--files-changed", "0", "--json"],
        )
        .run()
        .expect(42)
        .json();
        assert_eq!(answer["retry_at"], format!("{DAY}{next}Z"));
        at(&context, too_soon, &["check"]).run().expect(42);
    }
    at(&context, "15:30:00", &["check"]).run().expect(0);
    at(&context, "15:30:00", &fail).run().expect(42);
    let last = context
        .at("2026-06-01T00:00:00Z", &["check", "--json"])
        .run()
        .expect(42)
        .json();
    assert_eq!(
        (&last["release"], &last["retry_at"]),
        (&"person".into(), &serde_json::Value::Null)
    );
}

/// A probe that never reports has failed once its time is over.
#[test]
fn a_probe_that_never_reports_has_failed() {
    let context = TestContext::new();
    open_at_noon(&context);
    at(&context, "12:30:00", &["check"]).run().expect(0);
    at(&context, "12:59:59", &["check"])
        .run()
        .expect(42)
        .says("a probe is running");
    at(&context, "13:00:00", &["check"])
        .run()
        .expect(42)
        .says("14:00:00Z");
    at(&context, "13:59:59", &["check"]).run().expect(42);
    at(&context, "14:00:00", &["check"]).run().expect(0);
}

/// An outage during the probe proves nothing: the same wait again.
#[test]
fn an_outage_during_the_probe_neither_closes_nor_doubles() {
    let context = TestContext::new();
    open_at_noon(&context);
    at(&context, "12:30:00", &["check"]).run().expect(0);
    let outage = ["record", "--environment", "network", "--files-changed", "3"];
    at(&context, "12:40:00", &outage)
        .run()
        .expect(42)
        .says("13:10:00Z");
}

/// What was done to the clocks after noon, and whether half an hour has
/// really passed then.
#[test]
fn req_x_007_no_step_of_the_clock_shortens_a_cooldown() {
    let uptime = 5_000_000_u64;
    for (wall, passed_ms, boot, code) in [
        ("2026-01-01T12:30:00Z", 1_800_000, "same", 0),
        ("2026-01-01T12:30:00Z", 1_799_999, "same", 42), // set forward by a little
        ("2099-01-01T00:00:00Z", 60_000, "same", 42),    // far future
        ("1970-01-01T00:00:00Z", 60_000, "same", 42),    // the epoch
        ("1970-01-01T00:00:00Z", 9_000_000, "same", 42), // both must agree
        ("2026-01-01T11:00:00Z", 1_799_999, "same", 42), // backwards
        ("2026-01-01T12:10:00Z", 600_000, "other", 42),  // rebooted, ten minutes up
        ("1969-12-31T00:00:00Z", 600_000, "other", 42),  // rebooted without a clock
        ("1969-12-31T00:00:00Z", 1_800_000, "other", 0), // up for long enough
    ] {
        let context = TestContext::new();
        let noon = |args: &[&str]| {
            at(&context, "12:00:00", args)
                .env("FUSEBOX_UPTIME_MS", uptime.to_string())
                .env("FUSEBOX_BOOT", "same")
        };
        for code in [0, 0, 42] {
            noon(&["record", "--files-changed", "0"]).run().expect(code);
        }
        let up = if boot == "same" {
            uptime + passed_ms
        } else {
            passed_ms
        };
        let later = context
            .at(wall, &["check", "--json"])
            .env("FUSEBOX_UPTIME_MS", up.to_string())
            .env("FUSEBOX_BOOT", boot)
            .run();
        assert_eq!(
            later.code,
            code,
            "{wall}, {passed_ms} ms, {boot}: {}",
            later.out()
        );
    }
}

#[test]
fn req_004_052_no_step_of_the_clock_frees_a_call() {
    let uptime = 9_000_000_u64;
    let context = TestContext::new();
    let call = |wall: &str, up: u64, boot: &str, args: &[&str]| {
        context
            .at(wall, args)
            .env("FUSEBOX_UPTIME_MS", up.to_string())
            .env("FUSEBOX_BOOT", boot)
            .run()
    };
    call(
        "2026-01-01T12:00:00Z",
        uptime,
        "one",
        &["limit", "take", "100"],
    )
    .expect(0);
    for (wall, up, boot) in [
        ("2099-01-01T00:00:00Z", uptime + 1, "one"),
        ("1970-01-01T00:00:00Z", uptime + 3_599_999, "one"),
        ("2026-01-01T12:00:00Z", 0, "one"),
        ("2099-01-01T00:00:00Z", 10_000, "two"),
        ("2026-01-01T13:30:00Z", 3_599_999, "two"),
    ] {
        for args in [&["limit", "take"][..], &["check"], &["check", "--peek"]] {
            let came = call(wall, up, boot, args);
            assert_eq!(
                came.code,
                44,
                "{args:?} at {wall}, {up}, {boot}: {}",
                came.err()
            );
        }
    }
    call(
        "1970-01-01T00:00:00Z",
        3_600_000,
        "two",
        &["limit", "take", "100"],
    )
    .expect(0);
    call("1970-01-01T00:00:00Z", 3_600_000, "two", &["limit", "take"]).expect(44);
}

/// From 80 % on no call is spent on a probe.
#[test]
fn req_004_050_and_100_a_probe_is_not_worth_one_of_the_last_calls() {
    let context = TestContext::new();
    open_at_noon(&context);
    at(&context, "12:20:00", &["limit", "take", "80"])
        .run()
        .expect(0);
    at(&context, "12:40:00", &["check"])
        .run()
        .expect(44)
        .says("13:20:00Z");
    at(&context, "13:20:00", &["check"]).run().expect(0);
}
