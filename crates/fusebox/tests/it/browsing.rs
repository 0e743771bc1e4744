//! The pages as a person sees them: in a real browser, with the data of real runs.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::browser::{Browser, Window};
use crate::context::{KEY, TestContext};
use crate::served::Served;

pub(crate) const WINDOWS: [Window; 3] = [
    Window {
        name: "light",
        width: 1200,
        height: 800,
        dark: false,
    },
    Window {
        name: "dark",
        width: 1200,
        height: 800,
        dark: true,
    },
    Window {
        name: "phone",
        width: 375,
        height: 740,
        dark: false,
    },
];

/// Text that would act if it were taken for markup, script, style or an address.
const HOSTILE: [&str; 16] = [
    "<script>window.hacked=1</script>",
    "<img src=x onerror=\"window.hacked=1\">",
    "<svg/onload=window.hacked=1>",
    "\"><script>window.hacked=1</script>",
    "'><img src=x onerror=window.hacked=1>",
    "</td></tr></table><script>window.hacked=1</script>",
    "</pre><iframe srcdoc=\"<script>parent.hacked=1</script>\"></iframe>",
    "javascript:window.hacked=1",
    "<a href=\"javascript:window.hacked=1\">click</a>",
    "<style>body{display:none}</style>",
    "<base href=//evil.example/>",
    "<form action=//evil.example/><input name=reason></form>",
    "<meta http-equiv=refresh content=0;url=//evil.example/>",
    "${window.hacked=1} {{constructor.constructor('window.hacked=1')()}}",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=window.hacked=1>",
    "\u{1b}[2J\u{202e}&lt;script&gt;&#x3c;b&#x3e;",
];

/// Where pictures of the pages are put.
pub(crate) fn gallery() -> PathBuf {
    let gallery = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&gallery).unwrap();
    gallery
}

/// A run with a task, changes, tests, errors and cost that gets stuck, beside a loop
/// that goes well.
fn two_loops() -> Option<TestContext> {
    let context = TestContext::with_repository()?;
    context
        .fusebox(&["tasks", "add", "Serializer forgets the time zone"])
        .run()
        .expect(0);
    let script = "n=$(cat ../n 2>/dev/null || echo 0); n=$((n+1)); echo $n > ../n
        [ $n -gt 3 ] || { mkdir -p src; seq $n $((n+20)) > src/part$n.rs; sed -i 's/two/zwei/' a.txt; }
        echo \"working on step $n\"; echo \"error[E0308]: mismatched types in src/part1.rs\"";
    context
        .supervise(&["--task", "T-12 fix the serializer"], script)
        .run()
        .expect(43);
    let healthy = context.path("healthy");
    fs::create_dir_all(&healthy).unwrap();
    fs::write(healthy.join("fusebox.toml"), "").unwrap();
    for (step, failed) in [(1, 9), (2, 7), (3, 7), (4, 4), (5, 2), (6, 0)] {
        let report = json!({
            "files_changed": step % 4 + 1, "task": "release the importer", "duration_ms": 65_000 + step * 9_000,
            "tests": {"passed": 30 + step, "failed": failed},
            "usage": {"input_tokens": 9_000 + step * 700, "output_tokens": 900, "cost_usd": 0.31 + f64::from(step) / 50.0},
            "errors": [],
        });
        let call = context.fusebox(&["record", "-"]).inside(&healthy);
        call.input(report.to_string()).run().expect(0);
    }
    let odd = [
        "anomaly",
        "add",
        "--type",
        "external_blocker",
        "--task",
        "importer",
        "--detail",
        "blocker_service=registry",
    ];
    context.fusebox(&odd).inside(&healthy).run().expect(0);
    Some(context)
}

/// The id of the loop in a directory of that name.
fn id_of(served: &Served, name: &str) -> String {
    let loops = served.json("/api/loops");
    let mut loops = loops.as_array().unwrap().iter();
    let found = loops.find(|one| one["workspace"].as_str().unwrap().ends_with(name));
    found.unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn req_004_049_and_079_and_084_every_page_shows_real_runs_in_light_dark_and_on_a_phone() {
    let Some(context) = two_loops() else {
        return;
    };
    let served = Served::start(&context);
    let Some(mut browser) = Browser::start(&context) else {
        return;
    };
    let (stuck, healthy) = (id_of(&served, "work"), id_of(&served, "healthy"));
    let page = served.json(&format!("/api/loops/{stuck}/iterations"));
    let record = page["iterations"][0]["record"].as_u64().unwrap();
    let pages = [
        ("overview", "#/".to_owned(), "Loops of this machine"),
        (
            "loop",
            format!("#/loops/{stuck}"),
            "No progress for 3 iterations",
        ),
        (
            "healthy",
            format!("#/loops/{healthy}"),
            "release the importer",
        ),
        (
            "iteration",
            format!("#/loops/{stuck}/iterations/{record}"),
            "+zwei",
        ),
        ("incidents", "#/incidents".into(), "registry"),
        (
            "tasks",
            "#/tasks".into(),
            "Serializer forgets the time zone",
        ),
        (
            "history",
            "#/history?words=serializer".into(),
            "T-12 fix the serializer",
        ),
    ];
    browser.open(&served.address());
    browser.wait_for("document.querySelector('#pulse.live')");
    for window in WINDOWS {
        browser.resize(window);
        for (name, hash, shown) in &pages {
            browser.visit(hash);
            browser.wait_to_see(shown);
            let path = gallery().join(format!("{name}-{}.png", window.name));
            browser.picture(&path);
            let wide = browser.eval("document.documentElement.scrollWidth - innerWidth");
            assert!(
                wide.as_i64() <= Some(0),
                "{name} is {wide} too wide: {window:?}"
            );
            if let Some(found) = browser.accessibility() {
                assert_eq!(found, [""; 0], "{name} {window:?}");
            }
        }
    }
    // What a person is to be warned of stands on the page of the loop.
    browser.visit(&format!("#/loops/{stuck}"));
    for shown in [
        "94 of 100 calls left",
        "no file modified in 3 or more iterations",
        "a negative score for 3 iterations",
    ] {
        browser.wait_to_see(shown);
    }
    // By keyboard alone: the link that skips the links, and every table and picture.
    browser.open(&format!("http://127.0.0.1:{}/?again", served.port));
    browser.wait_to_see("Loops of this machine");
    let tab = |kind| json!({"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
    for kind in ["rawKeyDown", "keyUp"] {
        browser.call("Input.dispatchKeyEvent", &tab(kind));
    }
    assert_eq!(browser.eval("document.activeElement.className"), "skip");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn what_happens_is_seen_without_asking_again() {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let served = Served::start(&context);
    let Some(mut browser) = Browser::start(&context) else {
        return;
    };
    browser.open(&served.address());
    browser.wait_for(
        "document.querySelector('#pulse.live') && document.querySelector('.state.closed')",
    );
    // Whoever is on a link with the keyboard stays there.
    browser.eval("document.querySelector('main a').focus()");
    // What was there before is not news; that it was seen takes a moment.
    std::thread::sleep(std::time::Duration::from_secs(1));
    context
        .fusebox(&["trip", "--reason", "seen at once"])
        .run()
        .expect(0);
    browser.wait_for("document.querySelector('.state.open')");
    browser.wait_to_see("seen at once");
    assert_eq!(browser.eval("document.activeElement.localName"), "a");
    // A new loop appears by itself.
    let other = context.path("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("fusebox.toml"), "").unwrap();
    let call = context.fusebox(&["record", "--files-changed", "1"]);
    call.inside(&other).run().expect(0);
    browser.wait_for(
        "[...document.querySelectorAll('main a')].some((one) => one.textContent === 'other')",
    );
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn hostile_text_is_shown_and_never_runs() {
    let context = TestContext::new();
    for text in HOSTILE {
        let report = json!({
            "files_changed": [text], "task": text,
            "errors": [{"type": "Error", "message": text, "file": text}],
        });
        let call = context.fusebox(&["record", "-", "--exit-zero"]);
        call.input(report.to_string()).run().expect(0);
        context.fusebox(&["trip", "--reason", text]).run().expect(0);
        context.fusebox(&["tasks", "add", text]).run().expect(0);
    }
    let served = Served::start(&context);
    let Some(mut browser) = Browser::start(&context) else {
        return;
    };
    let id = served.only_loop();
    let page = served.json(&format!("/api/loops/{id}/iterations?most=500"));
    let records = page["iterations"].as_array().unwrap();
    assert_eq!(records.len(), HOSTILE.len());
    let iterations = records
        .iter()
        .map(|one| format!("#/loops/{id}/iterations/{}", one["record"]));
    let pages = [
        "#/".to_owned(),
        format!("#/loops/{id}"),
        "#/incidents".into(),
        "#/tasks".into(),
        "#/history".into(),
        "#/history?words=%3Cscript%3E".into(),
    ];
    browser.open(&served.address());
    browser.wait_for("document.querySelector('main h1')");
    let shown: Vec<_> = pages.into_iter().chain(iterations).collect();
    println!("proof: texts {} in a browser", HOSTILE.len() * shown.len());
    for hash in shown {
        browser.visit(&hash);
        for (forbidden, count) in [
            ("window.hacked ?? 0", 0),
            (
                "document.querySelectorAll('main script, main img, main iframe, main style, main base, main math, main meta').length",
                0,
            ),
            (
                "[...document.querySelectorAll('main *')].filter((one) => [...one.attributes].some((a) => a.name.startsWith('on'))).length",
                0,
            ),
            (
                "[...document.querySelectorAll('main a')].filter((one) => !one.getAttribute('href').startsWith('#/')).length",
                0,
            ),
            (
                "getComputedStyle(document.body).display === 'none' ? 1 : 0",
                0,
            ),
        ] {
            assert_eq!(browser.eval(forbidden), count, "{forbidden} on {hash}");
        }
    }
    browser.visit("#/tasks");
    for text in &HOSTILE[..15] {
        browser.wait_to_see(text);
    }
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn a_person_asks_for_things_with_a_reason_and_nobody_else_can() {
    let context = TestContext::new();
    context.hold_key();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let served = Served::start_with(&context, &["--allow-actions"]);
    let Some(mut browser) = Browser::start(&context) else {
        return;
    };
    let id = served.only_loop();
    browser.open(&served.address());
    browser.wait_for("document.querySelector('#pulse.live')");
    browser.visit(&format!("#/loops/{id}"));
    browser.press("Trip");
    // No reason, no wish: the form does not even leave.
    browser.press("Trip");
    assert_eq!(context.state(), "Closed");
    browser.fill("reason", "it spends too much <b>");
    let path = gallery().join("asking-light.png");
    browser.resize(WINDOWS[0]);
    browser.picture(&path);
    if let Some(found) = browser.accessibility() {
        assert_eq!(found, [""; 0]);
    }
    browser.press("Trip");
    browser.wait_for("document.querySelector('.state.open')");
    browser.wait_to_see("it spends too much <b>");
    assert_eq!(context.state(), "Open");
    // The news of it comes in its own time, and does not take the place of the answer.
    browser.wait_for("document.getElementById('note').textContent.startsWith('Open:')");
    browser.wait_for("document.getElementById('answer').textContent.startsWith('Trip:')");
    for (key, came, state) in [
        ("not the key", "Refused:", "Open"),
        (KEY, "Reset:", "Closed"),
    ] {
        browser.press("Reset");
        browser.fill("reason", "looked at it");
        browser.fill("key", key);
        browser.press("Reset");
        browser.wait_for(&format!(
            "document.getElementById('answer').textContent.startsWith('{came}')"
        ));
        assert_eq!(context.state(), state);
    }
    // A page of somebody else: no answer can be read, and nothing is done.
    let target = format!("http://127.0.0.1:{}/api/loops/{id}/trip", served.port);
    let elsewhere = format!("http://evil.example:{}/", served.port);
    browser.complaints.clear();
    browser.open(&elsewhere);
    browser.wait_to_see("Forbidden");
    let asked = format!(
        "fetch({}, {{method: 'POST', mode: 'no-cors', headers: {{'Content-Type': 'text/plain'}}, body: '{{\"reason\":\"evil\"}}'}}).then((a) => a.type, () => 'failed')",
        json!(target)
    );
    let came = browser.eval(&asked);
    assert!(came == "opaque" || came == "failed", "{came}");
    let read = format!(
        "fetch({}).then((a) => a.text(), () => 'failed')",
        json!(target)
    );
    assert_eq!(browser.eval(&read), "failed");
    assert_eq!(context.state(), "Closed");
}

#[test]
fn a_page_that_is_answered_late_does_not_replace_the_one_that_was_asked_for_since() {
    let context = TestContext::new();
    let report = ["record", "--files-changed", "1"];
    context.fusebox(&report).run().expect(0);
    let served = Served::start(&context);
    let Some(mut browser) = Browser::start(&context) else {
        return;
    };
    browser.open(&served.address());
    browser.wait_for("document.querySelector('#pulse.live')");
    // The tasks are slow to come, and somebody goes on to the history meanwhile.
    browser.eval(
        "window.late = 0; const swift = fetch;
        window.fetch = async (path, ...rest) => {
            const answer = await swift(path, ...rest);
            if (!path.startsWith('/pages/tasks')) return answer;
            await new Promise((on) => setTimeout(on, 700));
            setTimeout(() => late++, 200);
            return answer;
        };
        location.hash = '#/tasks'; setTimeout(() => location.hash = '#/history', 100); 0",
    );
    browser.wait_for("late === 1");
    assert_eq!(
        browser.eval("document.querySelector('main h1').textContent"),
        "History"
    );
}
