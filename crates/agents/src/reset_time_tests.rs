use proptest::prelude::*;

use super::*;

fn ms(text: &str) -> EpochMs {
    text.parse::<Timestamp>().expect("a time").as_millisecond()
}

/// A zone of its own rules, so that the tests need no database.
fn minus_five() -> TimeZone {
    TimeZone::fixed(jiff::tz::offset(-5))
}

#[test]
fn texts_of_real_agents_are_understood() {
    let table = [
        (
            "You've hit your 5-hour limit · resets 10:36pm (UTC)",
            "2026-11-15T22:36:00Z",
        ),
        (
            "You've hit your weekly limit · resets Nov 18, 10:36pm (UTC)",
            "2026-11-18T22:36:00Z",
        ),
        ("5-hour limit reached ∙ resets 3pm", "2026-11-15T20:00:00Z"),
        ("Your limit will reset at 12am.", "2026-11-16T05:00:00Z"),
        (
            "Usage limit reached · continuing automatically at 7pm",
            "2026-11-16T00:00:00Z",
        ),
        (
            "You’ve hit your usage limit. … or try again at 3:41 PM.",
            "2026-11-15T20:41:00Z",
        ),
        (
            "try again at Nov 18th, 2026 7:41 PM.",
            "2026-11-19T00:41:00Z",
        ),
        ("try again at 15:41", "2026-11-15T20:41:00Z"),
        ("try again at 21 Nov 2026, 1:03 AM.", "2026-11-21T06:03:00Z"),
        ("try again at 21st of Nov, 1:03 AM", "2026-11-21T06:03:00Z"),
        (
            "try again at 25 de nov. de 2026, 11:52.",
            "2026-11-25T16:52:00Z",
        ),
        (
            "try again at 1:03 AM on Nov 21st (UTC)",
            "2026-11-21T01:03:00Z",
        ),
        ("resets 3pm on Friday", "2026-11-20T20:00:00Z"),
        (
            "Claude AI usage limit reached|1794782215",
            "2026-11-15T22:36:55Z",
        ),
        (
            "limited until 2026-11-15T23:00:00+01:00.",
            "2026-11-15T22:00:00Z",
        ),
        (
            "Your quota will reset after 3h20m30s..",
            "2026-11-15T23:00:42Z",
        ),
        ("Please try again in 2 hours", "2026-11-15T21:40:12Z"),
        // Hours of a duration are no five-hour window.
        (
            "or try again in 3 days 4 hours 12 minutes.",
            "2026-11-18T23:52:12Z",
        ),
        ("Please try again in 58 hours.", "2026-11-18T05:40:12Z"),
        (
            "weekly limit. Please wait for it to reset on November 20, 2026 at 2:00 AM or switch",
            "2026-11-20T07:00:00Z",
        ),
        (
            "Your limit resets in 2 hours 13 minutes. You've hit your session limit",
            "2026-11-15T21:53:12Z",
        ),
        (
            "Please wait for your limit to reset in 18 minutes or switch",
            "2026-11-15T19:58:12Z",
        ),
        ("5-hour limit. Retry in 2hr 4min.", "2026-11-15T21:44:12Z"),
        (
            "Please wait 587 hours 33 minutes before trying again.",
            "2026-12-10T07:13:12Z",
        ),
        (
            "wait for it. Retry after an hour and 2 minutes",
            "2026-11-15T20:42:12Z",
        ),
        (
            r#"429: {"type":"x","resets_in_seconds":7200}"#,
            "2026-11-15T21:40:12Z",
        ),
        (r#"{"resets_at": 1794782215}"#, "2026-11-15T22:36:55Z"),
        ("resets 9pm UTC", "2026-11-15T21:00:00Z"),
        ("resets 9pm or whenever", "2026-11-16T02:00:00Z"),
        (
            "You've hit your limit · resets tomorrow at 3am (UTC)",
            "2026-11-16T03:00:00Z",
        ),
        (
            "Your weekly limit · resets Mon 9:00 AM",
            "2026-11-16T14:00:00Z",
        ),
        ("resets Sunday 10pm UTC", "2026-11-15T22:00:00Z"),
        ("resets sun at 3 am (UTC)", "2026-11-22T03:00:00Z"),
        (
            "resets Friday, November 20 at 9 AM UTC",
            "2026-11-20T09:00:00Z",
        ),
        ("Please wait until 11pm.", "2026-11-16T04:00:00Z"),
        (
            "You will regain access on 2026-12-01 at 00:00 UTC.",
            "2026-12-01T00:00:00Z",
        ),
        (
            "limit reached, reset at 2026-11-19 06:35:41 UTC",
            "2026-11-19T06:35:00Z",
        ),
    ];
    let now = ms("2026-11-15T19:40:12Z");
    for (text, expected) in table {
        let found = reset_in_text(text, now, &minus_five(), window_in_text(text));
        assert_eq!(found, Some(ms(expected)), "{text}");
    }
}

#[test]
fn a_time_that_has_just_passed_is_not_tomorrow_and_midnight_is_crossed() {
    let table = [
        (
            "2026-11-15T23:00:00Z",
            "resets 10:36pm (UTC)",
            Some("2026-11-15T22:36:00Z"),
        ),
        (
            "2026-11-16T00:10:00Z",
            "resets 11:50pm (UTC)",
            Some("2026-11-15T23:50:00Z"),
        ),
        (
            "2026-11-15T23:50:00Z",
            "resets 12:30am (UTC)",
            Some("2026-11-16T00:30:00Z"),
        ),
        (
            "2026-12-31T23:00:00Z",
            "resets Jan 2, 3am (UTC)",
            Some("2027-01-02T03:00:00Z"),
        ),
        // Further away than five hours can be: it was misread.
        (
            "2026-11-15T10:00:00Z",
            "5-hour limit · resets 10:36pm (UTC)",
            None,
        ),
        (
            "2026-11-15T10:00:00Z",
            "resets 3pm (Atlantis/Capital)",
            None,
        ),
        ("2026-11-15T10:00:00Z", "resets 3pm PST.", None),
        ("2026-11-15T10:00:00Z", "resets 3pm UTC+2", None),
        ("2026-11-15T10:00:00Z", "resets 3pm (PST)", None),
        ("2026-11-15T10:00:00Z", "resets soon", None),
        (
            "2026-11-15T10:00:00Z",
            "[1308][reset at 2026-11-19 06:35:41]",
            None,
        ),
        ("2026-11-15T10:00:00Z", "resets mon", None),
        (
            "2026-11-15T10:00:00Z",
            "try again at 21 lis 2026, 11:52",
            None,
        ),
        ("2026-11-15T10:00:00Z", "resets 3pm on 21/11/2026", None),
        ("2026-11-15T10:00:00Z", "resets 21/11/2026, 11:52", None),
        ("2026-11-15T10:00:00Z", "wait until it is over", None),
        ("2026-11-15T10:00:00Z", "resets 3", None),
        ("2026-11-15T10:00:00Z", "resets 25:61", None),
        ("2026-11-15T10:00:00Z", "resets Feb 31, 3pm", None),
    ];
    for (now, text, expected) in table {
        let found = reset_in_text(text, ms(now), &TimeZone::UTC, window_in_text(text));
        assert_eq!(found, expected.map(ms), "{text} at {now}");
    }
}

#[test]
fn a_named_zone_is_looked_up_and_an_hour_that_daylight_saving_skips_still_comes() {
    if TimeZone::get("America/Toronto").is_err() {
        eprintln!("SKIPPED: this machine has no zone database");
        return;
    }
    let now = ms("2026-06-15T12:00:00Z");
    let found = reset_in_text(
        "resets 2pm (America/Toronto)",
        now,
        &TimeZone::UTC,
        Window::Other,
    );
    assert_eq!(found, Some(ms("2026-06-15T18:00:00Z")));
    let spring = ms("2026-03-08T06:00:00Z");
    let skipped = reset_in_text(
        "resets 2:30am (America/Toronto)",
        spring,
        &TimeZone::UTC,
        Window::Other,
    );
    assert_eq!(skipped, Some(ms("2026-03-08T07:30:00Z")));
}

#[test]
fn waits_are_read_in_every_spelling() {
    let table = [
        ("Retrying after 5964ms...", Some(5_964)),
        ("Retrying in 0.2 seconds...", Some(200)),
        ("Suggested retry after 2s.. Retrying", Some(2_000)),
        ("Please try again in 1h 2m", Some(3_720_000)),
        ("try again in less than a minute", Some(60_000)),
        ("Please wait 2 minutes before trying again", Some(120_000)),
        ("Please wait and try again later", None),
        ("try again in a while", None),
        ("Retrying after 99999999999999999999999999h", None),
    ];
    for (text, expected) in table {
        let found = duration_in_text(text).map(|found| found.as_millis());
        assert_eq!(found, expected, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_and_no_time_make_it_fail(
        cue in prop::sample::select(CUES.to_vec()),
        text in "[ -~]{0,24}|[a-z]{3} [0-9]{1,3}(th)?,? ?[0-9:]{0,6} ?[ap]m \\([A-Za-z/]{0,9}\\)",
        now in any::<i64>(),
    ) {
        let found = reset_in_text(&format!("{cue}{text}"), now, &minus_five(), Window::Week);
        if let Some(at) = found {
            prop_assert!(at.saturating_sub(now) <= millis(Window::Week.longest()));
        }
        let _ = duration_in_text(&text);
    }
}
