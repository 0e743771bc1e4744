//! The same hostile texts wherever else text from outside is shown, written or told on.
//!
//! A row leads a text to a surface and gives what came there. Each text carries a word that has
//! to arrive somewhere, so that a surface that shows nothing does not count as a quiet one.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::call::Finished;
use crate::context::TestContext;
use crate::hostile_corpus::{TEXTS, acts, is_a_quiet_page};
use crate::importing::RALPH_OPEN;

/// What stands in each text, so that it is found again.
const WORD: &str = "q7z";

/// What a surface is for, and so what would act there.
#[derive(Clone, Copy)]
enum For {
    /// A terminal, a reader of Markdown, or of the files of another system: nothing acts, and no
    /// line begins as theirs would.
    People,
    /// A browser.
    Browsers,
    /// Programs, each line for itself: it is JSON, and no terminal it is shown on is touched.
    Programs,
}

impl For {
    fn is_quiet(self, text: &str) -> Result<(), String> {
        let is_quiet = match self {
            Self::People => {
                !text.contains(|c| acts(c) && c != '\t')
                    && !text.lines().any(|line| line.starts_with("fake:"))
            }
            Self::Browsers => is_a_quiet_page(text) && !text.contains(|c| acts(c) && c != '\t'),
            Self::Programs => {
                let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
                (is_json(text) || text.lines().all(is_json)) && !text.contains(acts)
            }
        };
        is_quiet.then_some(()).ok_or_else(|| format!("{text:?}"))
    }
}

/// A name, what it is for, and how a text comes there.
type Surface = (&'static str, For, fn(&str) -> Option<String>);

const SURFACES: &[Surface] = &[
    ("record, then events", For::Programs, |text| {
        Some(reported(&[], text).fusebox(&["events"]).run().out())
    }),
    ("traces", For::Programs, |text| {
        Some(reported(&[], text).fusebox(&["otlp", "export"]).run().out())
    }),
    ("what a run tells", For::People, |text| {
        let context = repository(text)?;
        Some(run(&context, &[]).err())
    }),
    ("the summary of a step", For::People, |text| {
        let context = repository(text)?;
        let summary = context.path("home/summary.md");
        let call = context.supervise(&["--once", "--task", text], LOSE);
        call.env("GITHUB_STEP_SUMMARY", &summary).run();
        Some(fs::read_to_string(summary).unwrap())
    }),
    ("a note on how to recover", For::People, |text| {
        let context = reported(&[], text);
        let noted = said(&context.fusebox(&["recover", "--note", text]).run());
        Some(noted + &said(&context.fusebox(&["explain"]).run()))
    }),
    ("anomalies", For::People, |text| {
        let context = TestContext::new();
        let detail = format!("blocker_service={text}");
        let kind = ["--type", "external_blocker", "--task", text];
        let add = [&["anomaly", "add"], &kind[..], &["--detail", &detail]].concat();
        let mut all = said(&context.fusebox(&add).run());
        all += &said(&context.fusebox(&add).run());
        for args in [&["anomaly", "list"][..], &["analyze"]] {
            all += &said(&context.fusebox(args).run());
        }
        Some(all)
    }),
    ("tasks", For::People, |text| {
        let context = TestContext::new();
        let list = json!({"stories": [{"id": text, "title": text, "status": "pending"}]});
        fs::write(context.work().join("prd.json"), list.to_string()).unwrap();
        let verbs = ["list", "ready", "stale", "next"];
        let shown = verbs.map(|verb| said(&context.fusebox(&["tasks", verb]).run()));
        Some(shown.concat())
    }),
    (
        "a command that the guard is asked about",
        For::People,
        |text| {
            let context = TestContext::new();
            fs::write(context.work().join("CLAUDE.md"), "x").unwrap();
            let command = format!("rm CLAUDE.md '{}'", text.replace('\'', ""));
            let verbs = ["check", "explain"];
            let shown = verbs.map(|verb| said(&context.fusebox(&["guard", verb, &command]).run()));
            Some(shown.concat())
        },
    ),
    ("protected files that are lost", For::People, |text| {
        let context = repository(text)?;
        let mut shown = said(&context.fusebox(&["guard", "snapshot"]).run());
        fs::remove_dir_all(context.work().join("specs")).unwrap();
        for verb in ["list", "verify", "restore"] {
            shown += &said(&context.fusebox(&["guard", verb]).run());
        }
        Some(shown)
    }),
    ("what another loop left", For::People, |text| {
        let context = TestContext::new();
        let mut left: Value = serde_json::from_str(RALPH_OPEN).unwrap();
        left["reason"] = text.into();
        fs::create_dir(context.work().join(".ralph")).unwrap();
        let file = context.work().join(".ralph/.circuit_breaker_state");
        fs::write(file, left.to_string()).unwrap();
        let settings = format!("ALLOWED_TOOLS={}\n", text.replace('\n', " "));
        fs::write(context.work().join(".ralphrc"), settings).unwrap();
        let mut shown = said(&context.fusebox(&["import"]).run());
        shown += &said(&context.fusebox(&["explain"]).run());
        Some(shown)
    }),
    ("what an agent's hook is answered", For::Programs, |text| {
        let context = TestContext::new();
        context.fusebox(&["trip", "--reason", text]).run().expect(0);
        let call = json!({"session_id": text, "cwd": context.work(), "tool_name": "Bash",
            "tool_input": {"command": text}});
        let hook = context.fusebox(&["hook", "claude", "pre-tool-use"]);
        Some(hook.input(call.to_string()).run().out())
    }),
    (
        "what programs are answered in a session",
        For::Programs,
        |text| {
            let context = reported(&[], text);
            let ask =
                |id, method| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}});
            let asked = format!("{}\n{}\n", ask(1, "status"), ask(2, "explain"));
            let session = context.fusebox(&["serve", "--stdio"]);
            Some(session.input(asked).run().out())
        },
    ),
    ("what the next prompt says", For::People, |text| {
        let script = r"echo $FUSEBOX_ITERATION >> a.txt; finish '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'";
        let context = TestContext::with_claude(script)?;
        let criteria = format!("- [ ] {}\n", text.replace(['\n', '\r'], " "));
        fs::write(context.work().join("done.md"), criteria).unwrap();
        let options = ["--criteria", "done.md", "--max-iterations", "2"];
        context.run_claude(&options).run().expect(45);
        Some(context.told(2))
    }),
    ("the files of a session workflow", For::People, |text| {
        Some(written(&reported(&["--preset", "bmad"], text)))
    }),
    ("the files of a phased workflow", For::People, |text| {
        let context = TestContext::new();
        let prp = |args: &[&str]| {
            context
                .fusebox(&[&["--preset", "prp"], args].concat())
                .run()
        };
        prp(&["phase", "start", "RED"]);
        prp(&["phase", "end", "RED", "--tests-generated", "0"]);
        prp(&["trip", "--reason", text]);
        Some(written(&context))
    }),
    ("the memory of another loop", For::People, |text| {
        Some(written(&reported(&["--preset", "superkit"], text)))
    }),
    ("what a third loop shows", For::People, |text| {
        let context = reported(&["--preset", "cub"], text);
        Some(said(&context.fusebox(&["--preset", "cub", "explain"]).run()) + &written(&context))
    }),
    ("what a third loop keeps of a run", For::People, |text| {
        let context = TestContext::with_repository()?;
        fs::write(context.path("said"), format!("TypeError: {text}\n")).unwrap();
        let options = ["--preset", "cub", "--once"];
        let script = "echo x >> a.txt; cat ../said >&2; exit 1";
        context.supervise(&options, script).run();
        let mut sessions = fs::read_dir(context.work().join(".cub/runs")).unwrap();
        let session = sessions.next()?.unwrap().path();
        let read = |name: &str| fs::read_to_string(session.join(name)).unwrap();
        Some(read("error_history.json") + &read("iterations/1/errors.json"))
    }),
    ("what a person notes on a blackboard", For::People, |text| {
        let context = TestContext::new();
        fs::create_dir(context.work().join(".liza")).unwrap();
        let board = context.work().join(".liza/state.yaml");
        fs::write(
            &board,
            "sprint:\n  started: 2025-01-18T00:00:00Z\nanomalies: []\n",
        )
        .unwrap();
        let liza = |args: &[&str]| {
            let came = context
                .fusebox(&[&["--preset", "liza"], args].concat())
                .run();
            said(&came)
        };
        let shown = liza(&["trigger", "--severity", "VISION_FLAW", "--reason", text]);
        let shown = shown + &liza(&["resolve", "--resolution", text]);
        Some(shown + &fs::read_to_string(board).unwrap())
    }),
    ("a blackboard and its observer", For::People, |text| {
        let context = TestContext::new();
        let quoted = Value::from(text).to_string();
        let anomaly = |task: &str| {
            format!(
                "- timestamp: 2025-01-18T14:00:00Z\n  task: {task}\n  reporter: {quoted}\n  type: external_blocker\n  details: {{blocker_service: {quoted}}}\n"
            )
        };
        let board = format!(
            "sprint:\n  started: 2025-01-18T00:00:00Z\nanomalies:\n{}{}",
            anomaly("a"),
            anomaly(&quoted)
        );
        fs::create_dir(context.work().join(".liza")).unwrap();
        fs::write(context.work().join(".liza/state.yaml"), board).unwrap();
        let observer = ["--preset", "liza", "analyze"];
        let shown = said(&context.fusebox(&observer).run());
        Some(shown + &written(&context))
    }),
    ("a report of a hostile run", For::Browsers, |text| {
        let context = ran(text)?;
        let page = context.path("home/page.html");
        let args = [
            "report",
            "--format",
            "html",
            "--output",
            page.to_str().unwrap(),
        ];
        context.fusebox(&args).run().expect(0);
        Some(fs::read_to_string(page).unwrap())
    }),
];

/// What an agent does that loses something and changes something.
const LOSE: &str = "rm -r specs; for f in *; do cat \"$f\" >>a.txt; done; exit 1";

fn said(came: &Finished) -> String {
    format!("{}{}", came.out(), came.err())
}

/// A breaker that was told of the text.
fn reported(options: &[&str], text: &str) -> TestContext {
    let context = TestContext::new();
    let report = json!({"task": text, "files_changed": 0,
        "errors": [{"type": text, "message": text, "file": text}]});
    for _ in 0..2 {
        let record = [options, &["record", "-", "--exit-zero"]].concat();
        context.fusebox(&record).input(report.to_string()).run();
    }
    let trip = [options, &["trip", "--reason", text]].concat();
    context.fusebox(&trip).run();
    context
}

/// A repository with files that are called so, and say it.
fn repository(text: &str) -> Option<TestContext> {
    let context = TestContext::with_repository()?;
    let name: String = text.replace(['/', '\0'], "_").chars().take(60).collect();
    fs::create_dir(context.work().join("specs")).unwrap();
    for path in [format!("specs/{name}{WORD}.md"), format!("{name}{WORD}")] {
        fs::write(context.work().join(path), format!("{text}\n")).unwrap();
    }
    Some(context)
}

fn run(context: &TestContext, options: &[&str]) -> Finished {
    context
        .supervise(&[&["--once"], options].concat(), LOSE)
        .run()
}

/// The same after an iteration that lost one of them.
fn ran(text: &str) -> Option<TestContext> {
    let context = repository(text)?;
    run(&context, &["--task", text]);
    Some(context)
}

/// All that was written into a work tree. Data has to be data.
fn written(context: &TestContext) -> String {
    let mut all = String::new();
    let mut ahead = vec![context.work()];
    while let Some(path) = ahead.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                ahead.push(path);
            } else if path.extension().is_some_and(|end| end == "json") {
                let text = fs::read_to_string(&path).unwrap();
                let _: Value = serde_json::from_str(&text).unwrap();
                all += &text;
            } else if !is_the_boards(&path) {
                all += &String::from_utf8_lossy(&fs::read(path).unwrap());
            }
        }
    }
    all
}

/// Their own words stand in their own file.
fn is_the_boards(path: &Path) -> bool {
    path.ends_with("state.yaml")
}

#[test]
fn hostile_texts_act_on_no_surface() {
    let shown = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for half in [0, 1] {
            let (shown, wrong) = (&shown, &wrong);
            scope.spawn(move || {
                for (name, of, comes) in SURFACES.iter().skip(half).step_by(2) {
                    let mut arrived = 0;
                    for text in TEXTS {
                        let text = format!("{text} {WORD}");
                        let Some(came) = comes(&text) else {
                            return;
                        };
                        if let Err(said) = of.is_quiet(&came) {
                            let said = format!("{name}: {text:?}: {said}");
                            wrong.lock().unwrap().push(said);
                        }
                        arrived += usize::from(came.contains(WORD));
                    }
                    if arrived * 2 <= TEXTS.len() {
                        let said = format!("{name}: {arrived} arrived");
                        wrong.lock().unwrap().push(said);
                    }
                    shown.fetch_add(arrived, Ordering::Relaxed);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let shown = shown.into_inner();
    println!(
        "proof: texts {shown} of {} texts on {} more surfaces",
        TEXTS.len(),
        SURFACES.len()
    );
}
