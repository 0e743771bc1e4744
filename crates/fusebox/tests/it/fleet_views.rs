//! A fleet in `status`, on the screen and on its page: alive, dead, and back again.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use fusebox_fleet::{
    Amounts, Claimed, Coordinator, Event, Id, Mark, Scope, Take, Unit, Worker, connect,
};
use postgres_fixture::{Care, Cluster};
use serde_json::json;

use crate::browser::Browser;
use crate::browsing::{WINDOWS, gallery};
use crate::call::wait_for;
use crate::context::TestContext;
use crate::served::Served;
use crate::terminal::Terminal;

const HOUR: Duration = Duration::from_secs(3_600);
const HOSTILE: &str = "<script>window.hacked=1</script>\u{1b}[2J";

/// A prepared database of a server; `None`, and a word about it, where there is none.
pub(crate) fn prepared(context: &TestContext) -> Option<String> {
    let url = postgres_fixture::shared()?.database().unwrap();
    prepare(context, &url);
    Some(url)
}

fn prepare(context: &TestContext, url: &str) {
    let init = context.fusebox(&["fleet", "init", "--fleet", url]);
    init.run().expect(0);
}

/// Somebody on another machine.
fn enrolled(coordinator: &mut dyn Coordinator, host: &str) -> Worker {
    let worker = Worker {
        id: Id::random(),
        host: host.into(),
        version: "1.2.3".into(),
        repository: "importer".into(),
        agent: Some("claude".into()),
    };
    coordinator.enrol(&worker).unwrap();
    worker
}

/// Somebody on another machine who works on `task`.
fn worker_at(coordinator: &mut dyn Coordinator, host: &str, task: &str) -> Worker {
    let worker = enrolled(coordinator, host);
    match coordinator.claim(&worker, Some(task), HOUR).unwrap() {
        Claimed::Yours { .. } => worker,
        other => panic!("{other:?}"),
    }
}

/// Two machines at work, a budget that is used up and one that is not.
fn at_work(url: &str) -> Box<dyn Coordinator> {
    let mut fleet = connect(&url.parse().unwrap()).unwrap();
    let ann = worker_at(&mut *fleet, "build-7.example", "T-12 fix the parser");
    worker_at(&mut *fleet, "laptop", "T-13 release");
    let scope = Scope::Repository("importer".into());
    fleet
        .set_budget(&Scope::Fleet, Unit::Calls, Some(2), HOUR)
        .unwrap();
    fleet
        .set_budget(&scope, Unit::MicroUsd, Some(10_000_000), HOUR)
        .unwrap();
    for _ in 0..2 {
        let take = Take {
            name: Id::random(),
            worker: ann.id.clone(),
            scopes: vec![Scope::Fleet, scope.clone()],
            amounts: Amounts {
                calls: 1,
                tokens: 0,
                micro_usd: 1_250_000,
            },
            lease: None,
        };
        fleet.take(&take).unwrap();
    }
    fleet
}

/// The same error on three tasks, whose names are not to be trusted.
fn with_an_incident(url: &str) {
    let mut fleet = at_work(url);
    for number in 1..=3 {
        let task = format!("T-{number} {HOSTILE}");
        let worker = worker_at(&mut *fleet, "night-shift", &task);
        let mark = Mark {
            pattern: "error_cluster".into(),
            key: format!("TypeError: {HOSTILE}"),
            member: task.clone(),
        };
        let event = Event {
            number: 1,
            kind: "reported".into(),
            task: Some(task),
            fence: None,
            fields: json!({}),
            marks: vec![mark],
        };
        fleet.deliver(&worker, 1, &[event]).unwrap();
    }
}

/// A server that takes connections and says nothing: the worst that can happen.
fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("postgres://worker@127.0.0.1:{port}/fleet");
    (listener, url)
}

#[test]
fn status_answers_within_about_a_second_whatever_the_fleet_does() {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let (_listener, url) = silent();
    for (url, shown) in [
        (url, "it does not answer"),
        ("postgres://worker@127.0.0.1:1/fleet".into(), "refused"),
    ] {
        let began = Instant::now();
        let told = context.fusebox(&["status", "--fleet", &url]).run();
        let took = began.elapsed();
        let told = told.expect(0).out();
        assert!(told.contains("not reachable since 20"), "{told}");
        assert!(told.contains(shown), "{told}");
        assert!(told.contains("CLOSED"), "{told}");
        // A second for the fleet; the rest is for a machine that is busy.
        assert!(took < Duration::from_secs(4), "{took:?}");
    }
}

/// The screen without what differs from run to run.
fn seen(screen: &str, url: &str) -> String {
    let port = url.split(['@', '/']).nth(3).unwrap();
    let lines = screen.lines().map(|line| {
        let line = line.replace(port, "HOST");
        let line = match line.find("HOST/") {
            Some(at) => format!("{}HOST/DATABASE", &line[..at]),
            None => line,
        };
        let mut line = line.trim_end().to_owned();
        for age in 0..60 {
            let word = format!("  {age} s ");
            if line.starts_with(&word) {
                line.replace_range(..word.len(), "  N s ");
            }
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[test]
fn workers_of_a_fleet_stand_below_the_loops_of_this_machine() {
    let context = TestContext::new();
    let Some(url) = prepared(&context) else {
        return;
    };
    let mut fleet = at_work(&url);
    let record = ["record", "--files-changed", "1", "--no-errors"];
    context.at("2026-03-01T11:00:00Z", &record).run().expect(0);
    let top = format!("FUSEBOX_NOW=2026-03-01T12:00:00Z FUSEBOX_FLEET='{url}' $SETTABLE top");
    let Some(terminal) = Terminal::open_sized(&context, &top, (80, 24)) else {
        return;
    };
    terminal.wait_for("build-7.example");
    let screen = seen(&terminal.visible(), &url);
    let upper: Vec<&str> = screen.lines().take(16).collect();
    assert_eq!(
        upper.join("\n"),
        "\
fusebox top · 1 loop · 0 running · 0 open · 2026-03-01T12:00:00Z
  STATE        RISK   RUN ITER   CHANGE SCORE    ERR CALLS     COST    LOOP
▶ ● CLOSED     LOW    no  1      1 h    ▄        0   100/100   -       work







────────────────────────────────────────────────────────────────────────────────
fleet 2 workers at postgres://postgres@HOST/DATABASE
  SEEN   HOST               REPOSITORY         AGENT    TASKS
  N s    laptop             importer           claude   T-13 release
  N s    build-7.example    importer           claude   T-12 fix the parser
────────────────────────────────────────────────────────────────────────────────"
    );
    terminal.press("f");
    terminal.wait_for("repo:importer 2500000 of 10000000 micro-USD");
    for shown in [
        "fleet 2 of 2 calls in 1 h, free in",
        "lease     T-12 fix the parser in importer on",
    ] {
        terminal.wait_for(shown);
    }
    // What is halted is said before anything else.
    fleet.halt(&Scope::Fleet, "the API is down", "ann").unwrap();
    terminal.wait_for("fleet HALTED fleet since");
    terminal.press("Escape");
    terminal.wait_for("1 loop");
    terminal.press("q");
    terminal.wait_for("[exit 0]");
}

#[test]
fn the_screen_is_there_at_once_and_says_that_the_fleet_is_not() {
    let context = TestContext::new();
    context.open_breaker();
    let (_listener, url) = silent();
    let top = format!("FUSEBOX_FLEET='{url}' $FUSEBOX top");
    let began = Instant::now();
    let Some(terminal) = Terminal::open_sized(&context, &top, (80, 24)) else {
        return;
    };
    let screen = terminal.wait_for("✖ OPEN");
    let took = began.elapsed();
    assert!(!screen.contains("not reachable"), "{screen}");
    assert!(took < Duration::from_secs(4), "{took:?}");
    terminal.wait_for("fleet not reachable since 20");
    // Keys are heard meanwhile.
    terminal.press("Enter");
    terminal.wait_for("TESTS");
}

#[test]
fn the_page_of_a_fleet_shows_all_of_it_and_what_is_hostile_stays_text() {
    let context = TestContext::new();
    let Some(url) = prepared(&context) else {
        return;
    };
    with_an_incident(&url);
    let served = Served::start_with(&context, &["--fleet", &url]);
    let data = served.json("/api/fleet");
    assert_eq!(
        (&data["sight"], &data["trouble"]),
        (&json!("seen"), &json!(null))
    );
    assert_eq!(data["workers"].as_array().map(Vec::len), Some(5));
    assert_eq!(data["leases"].as_array().map(Vec::len), Some(5));
    assert_eq!(
        data["overview"]["incidents"].as_array().map(Vec::len),
        Some(1)
    );
    let Some(mut browser) = Browser::start(&context) else {
        return;
    };
    browser.open(&served.address());
    browser.wait_for("document.querySelector('#pulse.live')");
    for window in WINDOWS {
        browser.resize(window);
        browser.visit("#/fleet");
        for shown in [
            "ANSWERS",
            "build-7.example",
            "T-13 release",
            "2 calls",
            "free in",
            "$2.50",
            "HALTED",
            "repo:importer",
            "Same error on several tasks",
            "error cluster",
            "ARCHITECTURE_FLAW",
            "left",
            "T-3 <script>window.hacked=1</script>",
        ] {
            browser.wait_to_see(shown);
        }
        let path = gallery().join(format!("fleet-{}.png", window.name));
        browser.picture(&path);
        let wide = browser.eval("document.documentElement.scrollWidth - innerWidth");
        assert!(wide.as_i64() <= Some(0), "{wide} too wide: {window:?}");
        if let Some(found) = browser.accessibility() {
            assert_eq!(found, [""; 0], "{window:?}");
        }
    }
    assert_eq!(browser.eval("window.hacked ?? 0"), 0);
    // What happens elsewhere is seen without asking again.
    let mut fleet = connect(&url.parse().unwrap()).unwrap();
    enrolled(&mut *fleet, "came-later");
    browser.wait_to_see("came-later");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_fleet_that_goes_away_is_shown_as_it_was_and_comes_back_by_itself() {
    let context = TestContext::new();
    if postgres_fixture::shared().is_none() {
        return;
    }
    let cluster = Cluster::start(Care::Quick).unwrap();
    let url = cluster.database().unwrap();
    prepare(&context, &url);
    drop(at_work(&url));
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let served = Served::start_with(&context, &["--fleet", &url]);
    let sight = || served.json("/api/fleet")["sight"].clone();
    assert_eq!(sight(), "seen");
    cluster.crash().unwrap();
    wait_for("the fleet to be missed", || sight() == "lost");
    let lost = served.json("/api/fleet");
    let said = lost["trouble"].as_str().unwrap();
    assert!(said.contains("not reachable since 20"), "{said}");
    assert_eq!(lost["workers"].as_array().map(Vec::len), Some(2));
    let page = served.get("/pages/fleet");
    for shown in ["NO ANSWER", "build-7.example"] {
        assert!(page.contains(shown), "{shown} in {page}");
    }
    cluster.resume().unwrap();
    wait_for("the fleet to be back", || sight() == "seen");
}

#[test]
fn pages_of_this_machine_are_never_late_because_of_a_fleet() {
    let context = TestContext::new();
    context.open_breaker();
    let (_listener, url) = silent();
    let served = Served::start_with(&context, &["--fleet", &url]);
    let timed = |target: &str| {
        let began = Instant::now();
        served.get(target);
        began.elapsed()
    };
    // Whoever looks at the fleet first waits for a moment, and nobody after that.
    for (target, most_ms) in [
        ("/pages/overview", 1_000),
        ("/pages/fleet", 3_000),
        ("/pages/overview", 1_000),
        ("/pages/fleet", 1_000),
        ("/api/fleet", 1_000),
    ] {
        let took = timed(target);
        assert!(took < Duration::from_millis(most_ms), "{target}: {took:?}");
    }
    assert!(
        served
            .get("/pages/fleet")
            .contains("not reachable since 20")
    );
    // And without a fleet there is none to wait for.
    let alone = Served::start(&context);
    assert_eq!(alone.json("/api/fleet")["sight"], "none");
    assert!(alone.get("/pages/fleet").contains("No fleet is configured"));
}
