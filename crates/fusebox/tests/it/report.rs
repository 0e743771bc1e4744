//! Reports and metrics: what somebody reads who was not there.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::json;

use crate::context::{TestContext, nobody_can_play_a_person};

/// Marks that would act in a page, in Markdown or on a terminal.
const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "![x](https://evil.example/p.png)",
    "[x](javascript:alert(1)) | cell",
    "\u{1b}[2J\u{1b}]0;pwned\u{7}",
    "\u{202e}txt.exe ``` `",
];

fn page(context: &TestContext, args: &[&str]) -> String {
    let args = [&["report"], args].concat();
    context.fusebox(&args).run().expect(0).out()
}

#[test]
fn a_run_is_reported_with_its_reason_its_evidence_and_its_cost() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context
        .fusebox(&["report"])
        .run()
        .expect(0)
        .says("nothing has happened here yet");
    context
        .supervise(&["--task", "T-9"], "echo '<b>the end</b>'")
        .run()
        .expect(43);
    let text = page(&context, &[]);
    for part in [
        "# fusebox report: the last run in ",
        "| state now | ✖ OPEN, risk HIGH |",
        "| why | `No progress for 3 iterations` |",
        "| iterations | 3, 0 with progress |",
        "## What to do next",
        "- one trial iteration is allowed at ",
        "## Incident 1: `No progress for 3 iterations`",
        "| after iteration | 3 |",
        "| closed | not yet |",
        "- `iteration 2`: `no file changed`",
        "- score by iteration: score `",
        "`T-9`",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    // The next run is a report of its own.
    context.hold_key();
    let other = ["report", "run", "--circuit", "other"];
    context
        .fusebox(&other)
        .run()
        .expect(0)
        .says("nothing has happened");
    let incident = page(&context, &["incident", "--format", "html"]);
    for part in [
        "<h2>The end of the agent&#39;s output</h2>",
        "&lt;b&gt;the end&lt;/b&gt;",
        "<svg viewBox=",
        "class=\"mark\"",
        "default-src 'none'",
    ] {
        assert!(incident.contains(part), "{part} in {incident}");
    }
}

#[test]
fn req_004_095_an_incident_names_no_person_where_the_clock_alone_releases() {
    for (preset, released_by) in [
        ("superkit", "a probe after 30 min"),
        ("native", "a person, or a probe after 30 min"),
    ] {
        let context = TestContext::new();
        for _ in 0..3 {
            let record = ["--preset", preset, "record", "--files-changed", "0"];
            context.fusebox(&record).run();
        }
        let text = page(&context, &["incident"]);
        let line = text.lines().find(|line| line.contains("released by"));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        assert!(line.contains(released_by), "{line}");
        let person = line.contains("person");
        assert_eq!(person, preset == "native", "{line}");
    }
}

#[test]
fn an_incident_says_who_released_it_and_why() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    context
        .fusebox(&["report", "incident"])
        .run()
        .expect(0)
        .says("never been open");
    context.open_breaker();
    context.reset().expect(0);
    context
        .fusebox(&["record", "--files-changed", "2"])
        .run()
        .expect(0);
    let text = page(&context, &["incident"]);
    assert!(text.contains("by `somebody`: `looked at it` |"), "{text}");
    assert!(
        !text.contains("| 4 |"),
        "what came later is no part of it: {text}"
    );
}

#[test]
fn a_day_holds_what_happened_on_it() {
    let context = TestContext::new();
    for (at, files) in [
        ("2026-01-30T23:59:59Z", "1"),
        ("2026-01-31T00:00:00Z", "2"),
        ("2026-01-31T23:59:59Z", "3"),
        ("2026-02-01T00:00:00Z", "4"),
    ] {
        context
            .at(at, &["record", "--files-changed", files])
            .run()
            .expect(0);
    }
    let day = |now: &str, args: &[&str]| {
        let args = [&["report", "day"], args].concat();
        context.at(now, &args).run().expect(0).out()
    };
    let that = day("2026-03-01T00:00:00Z", &["2026-01-31"]);
    assert!(
        that.contains("| iterations | 2, 2 with progress |"),
        "{that}"
    );
    let last = day("2026-02-01T00:00:01Z", &[]);
    assert!(
        last.contains("| iterations | 2, 2 with progress |"),
        "{last}"
    );
    context
        .fusebox(&["report", "day", "yesterday"])
        .run()
        .expect(2);
}

#[test]
fn hostile_text_stays_text_in_every_format() {
    let context = TestContext::new();
    for text in HOSTILE {
        let report = json!({
            "files_changed": [text], "task": text, "approach": text,
            "errors": [{"type": text, "message": text, "file": text, "line": 1}],
        });
        let call = context.fusebox(&["record", "-", "--exit-zero"]);
        call.input(report.to_string()).run().expect(0);
    }
    context
        .fusebox(&["trip", "--reason", HOSTILE[0]])
        .run()
        .expect(0);
    println!("proof: texts {} in reports", 6 * HOSTILE.len());
    for scope in ["run", "day", "incident"] {
        let html = page(&context, &[scope, "--format", "html"]);
        let marks = ["<script", "<img", "\u{1b}", "\u{7}", "\u{202e}"];
        for mark in marks {
            assert!(!html.contains(mark), "{mark:?} in {scope}: {html}");
        }
        let markdown = page(&context, &[scope]);
        for mark in ["\u{1b}", "\u{7}", "\u{202e}"] {
            assert!(!markdown.contains(mark), "{mark:?} in {scope}");
        }
        for row in markdown.lines().filter(|line| line.starts_with("| ")) {
            let bars = row
                .replace("\\\\", "")
                .replace("\\|", "")
                .matches('|')
                .count();
            assert!([3, 5, 13].contains(&bars), "{bars} bars in {row}");
        }
    }
}

#[test]
fn a_report_is_written_for_its_owner_alone_in_the_format_of_its_name() {
    let context = TestContext::new();
    context.open_breaker();
    let file = context.path("home/report.html");
    let args = ["report", "-o", file.to_str().unwrap()];
    context.fusebox(&args).run().expect(0).says("written to ");
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .starts_with("<!doctype html>")
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let nowhere = ["report", "-o", "/nowhere/at/all.md"];
    context.fusebox(&nowhere).run().expect(6).complains_once();
}

#[test]
fn what_is_named_as_output_is_replaced_or_fed_and_never_turned_into_something_else() {
    let context = TestContext::new();
    context.open_breaker();
    let at = |name: &str| context.path(name);
    let pipe = at("home/pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    for command in ["metrics", "report"] {
        let page = at(&format!("home/{command}.html"));
        let link = at(&format!("home/{command}-link.html"));
        symlink(&page, &link).unwrap();
        let to = |path: &Path| context.fusebox(&[command, "-o", path.to_str().unwrap()]);
        to(&link).run().expect(0);
        assert!(link.is_symlink() && page.is_file(), "{command}");
        to(&pipe).run().expect(6).says("nobody reads from it");
        // A pipe that has a reader is fed, and remains one.
        let both = File::options().read(true).write(true).open(&pipe).unwrap();
        to(&pipe).run().expect(0);
        let about = fs::symlink_metadata(&pipe).unwrap();
        assert!(about.file_type().is_fifo(), "{command}");
        drop(both);
        // No room for all of it: what was there stays, and nothing is left beside it.
        fs::write(&page, "the one before").unwrap();
        let beside = fs::read_dir(at("home")).unwrap().count();
        let program = env!("CARGO_BIN_EXE_fusebox");
        let (limit, path) = ("--fsize=500:500", page.to_str().unwrap());
        let args = [limit, program, command, "-o", path];
        let cut = context.call(Path::new("/usr/bin/prlimit"), &args).run();
        cut.expect(6).says("make room");
        assert_eq!(fs::read_to_string(&page).unwrap(), "the one before");
        assert_eq!(fs::read_dir(at("home")).unwrap().count(), beside);
    }
}

#[test]
fn metrics_are_what_prometheus_takes() {
    let context = TestContext::new();
    let report = json!({
        "files_changed": 0, "task": HOSTILE[0], "duration_ms": 1500,
        "usage": {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.25},
        "errors": [{"message": HOSTILE[1]}],
    });
    for code in [0, 0, 42] {
        let call = context.fusebox(&["record", "-"]).input(report.to_string());
        call.run().expect(code);
    }
    let text = context.fusebox(&["metrics"]).run().expect(0).out();
    let value = |name: &str, label: &str| {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let line =
            lines.find(|line| line.starts_with(&format!("{name}{{")) && line.contains(label));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
    };
    for (name, label, expected) in [
        ("fusebox_iterations_total", "", 3.0),
        ("fusebox_progress_iterations_total", "", 0.0),
        ("fusebox_trips_total", "", 1.0),
        ("fusebox_iteration_seconds_total", "", 4.5),
        ("fusebox_tokens_total", "", 45.0),
        ("fusebox_cost_usd_total", "", 0.75),
        ("fusebox_state", "state=\"open\"", 1.0),
        ("fusebox_state", "state=\"closed\"", 0.0),
        ("fusebox_readable", "", 1.0),
        ("fusebox_running", "", 0.0),
        ("fusebox_signal", "signal=\"no_progress\"", 3.0),
        ("fusebox_signal_threshold", "signal=\"no_progress\"", 3.0),
        ("fusebox_errors", "", 1.0),
        ("fusebox_risk_level", "", 2.0),
    ] {
        assert_eq!(value(name, label), Some(expected), "{name} {label}");
    }
    assert!(!text.contains("alert(1)"), "labels are bounded: {text}");
    well_formed(&text);
    let file = context.path("home/fusebox.prom");
    let args = ["metrics", "-o", file.to_str().unwrap()];
    context.fusebox(&args).run().expect(0);
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .contains("fusebox_trips_total")
    );
    assert_eq!(
        fs::read_dir(context.path("home")).unwrap().count(),
        1,
        "no draft is left"
    );
    fs::remove_file(context.store().slots).unwrap();
    let damaged = context.fusebox(&["metrics"]).run().expect(0).out();
    let readable = damaged
        .lines()
        .find(|line| line.starts_with("fusebox_readable{"));
    assert!(
        readable.is_some_and(|line| line.ends_with(" 0")),
        "{damaged}"
    );
}

/// The rules of the format that a reader relies on.
fn well_formed(text: &str) {
    let mut seen = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(!seen.contains(&name), "{name} twice");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
            seen.push(name);
        } else if !line.starts_with('#') {
            let name = line.split('{').next().unwrap();
            assert_eq!(seen.last(), Some(&name), "{line}");
            assert!(
                line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(),
                "{line}"
            );
        }
    }
}

/// A run that was refused has nothing to tell, and does not hide the one that tripped.
#[test]
fn a_refused_run_does_not_hide_the_one_before() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context
        .supervise(&["--on-stagnation", "abort"], "true")
        .run()
        .expect(42);
    context
        .supervise(&["--on-stagnation", "abort"], "true")
        .run()
        .expect(42);
    let text = page(&context, &[]);
    assert!(
        text.contains("| iterations | 3, 0 with progress |"),
        "{text}"
    );
    assert!(text.contains("## Incident 1"), "{text}");
}

#[test]
fn a_report_is_data_where_data_is_asked_for() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context
        .supervise(&["--on-stagnation", "abort"], "true")
        .run()
        .expect(42);
    for args in [
        &["report", "--json"][..],
        &["report", "--format", "json"],
        &["report", "incident", "--json"],
    ] {
        let data = context.fusebox(args).run().expect(0).json();
        assert_eq!(data["schema"], 1, "{args:?}");
        assert_eq!(data["now"]["state"], "Open");
        assert_eq!(data["sums"]["iterations"], 3);
        assert_eq!(data["sums"]["with_progress"], 0);
        assert_eq!(data["iterations"].as_array().unwrap().len(), 3);
        assert_eq!(data["iterations"][2]["iteration"], 3);
        assert_eq!(
            data["iterations"][2]["opened"],
            "No progress for 3 iterations"
        );
        assert_eq!(data["incidents"][0]["after_iteration"], 3);
        assert_eq!(data["incidents"][0]["closed"], json!(null));
        assert!(!data["next"].as_array().unwrap().is_empty());
    }
    // The format that is named is the one that is meant.
    let text = page(&context, &["--json", "--format", "md"]);
    assert!(text.starts_with("# fusebox report"), "{text}");
}
