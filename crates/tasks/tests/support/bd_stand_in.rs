//! A stand-in for the Go program `bd`: the shapes of its answers, its exit codes and
//! its known faults, over a plain file.
//!
//! `.beads/release` chooses the dialect (`1.0` or `1.2`), `.beads/fault` a fault.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a stand-in for a program, used by tests alone"
)]

use std::fs;
use std::process::ExitCode;

use serde_json::{Value, json};

const STORE: &str = ".beads/stand-in.json";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let release = fs::read_to_string(".beads/release").unwrap_or_default();
    let leases = release.trim() == "1.2";
    let fault = fs::read_to_string(".beads/fault").unwrap_or_default();
    match (fault.trim(), words.as_slice()) {
        (_, ["heartbeat", "--help"]) => return ExitCode::from(u8::from(!leases)),
        (_, ["claim", "--help"]) => return ExitCode::FAILURE,
        ("locked", _) => return fail("database is locked by another process", 1),
        _ => {}
    }
    let mut issues: Vec<Value> = serde_json::from_str(&fs::read_to_string(STORE).unwrap()).unwrap();
    let code = act(&words, leases, &mut issues);
    fs::write(STORE, serde_json::to_string(&issues).unwrap()).unwrap();
    // It changes what it was to change, and then runs out of time.
    if fault.trim() == "mutates-then-fails" && matches!(words[0], "update" | "close") {
        return fail("context deadline exceeded", 1);
    }
    code
}

fn act(words: &[&str], leases: bool, issues: &mut [Value]) -> ExitCode {
    let flag = |name: &str| {
        words
            .iter()
            .position(|word| *word == name)
            .map(|at| words[at + 1])
    };
    match words[0] {
        "list" => {
            let wanted = flag("--status").unwrap();
            let all: Vec<&Value> = issues
                .iter()
                .filter(|issue| issue["status"] == wanted)
                .collect();
            // Fifty, unless told otherwise.
            let most = if flag("--limit") == Some("0") {
                all.len()
            } else {
                50
            };
            answer(&json!(all.iter().take(most).collect::<Vec<_>>()))
        }
        "ready" => {
            let ready = |issue: &&Value| issue["status"] == "open" && issue["blocked_by"].is_null();
            answer(&json!(issues.iter().filter(ready).collect::<Vec<_>>()))
        }
        command => {
            let Some(issue) = issues.iter_mut().find(|issue| issue["id"] == words[1]) else {
                return fail(&format!("no issue found matching {:?}", words[1]), 1);
            };
            change(command, words, leases, issue)
        }
    }
}

fn change(command: &str, words: &[&str], leases: bool, issue: &mut Value) -> ExitCode {
    let flag = |name: &str| {
        words
            .iter()
            .position(|word| *word == name)
            .map(|at| words[at + 1])
    };
    let mine = flag("--actor").is_some_and(|actor| issue["assignee"] == actor);
    match command {
        "show" => {}
        "heartbeat" if mine => issue["lease_expires_at"] = json!("2099-01-01T00:00:00Z"),
        "heartbeat" => return fail("you do not hold the lease", 1),
        "close" => {
            issue["status"] = json!("closed");
            issue["close_reason"] = json!(flag("--reason").unwrap());
        }
        "reopen" => issue["status"] = json!("open"),
        "update" if words.contains(&"--claim") => {
            let actor = flag("--actor").unwrap();
            if issue["status"] == "in_progress" && !mine {
                return fail(&format!("already claimed by {}", issue["assignee"]), 1);
            }
            if issue["status"] != "open" && !mine {
                return fail("issue is not open", 1);
            }
            issue["status"] = json!("in_progress");
            issue["assignee"] = json!(actor);
            // The first start ever, and never another one.
            if issue["started_at"].is_null() {
                issue["started_at"] = json!("2026-01-01T00:00:00Z");
            }
            if leases {
                issue["lease_expires_at"] = json!("2026-01-31T12:05:00Z");
            }
        }
        "update" => {
            let guards = [("--if-assignee", "assignee"), ("--if-status", "status")];
            for (name, field) in guards {
                if !leases && flag(name).is_some() {
                    return fail(&format!("unknown flag: {name}"), 1);
                }
                if flag(name).is_some_and(|wanted| issue[field] != wanted) {
                    return fail(&format!("stale guard: {field} is {}", issue[field]), 13);
                }
            }
            let status = flag("--status").unwrap();
            if !["open", "in_progress", "blocked", "deferred", "closed"].contains(&status) {
                return fail(&format!("invalid status: {status}"), 1);
            }
            issue["status"] = json!(status);
            if flag("--assignee") == Some("") {
                issue.as_object_mut().unwrap().remove("assignee");
                issue.as_object_mut().unwrap().remove("lease_expires_at");
            }
            issue["notes"] = json!(flag("--append-notes").unwrap_or_default());
        }
        other => return fail(&format!("unknown command {other:?}"), 1),
    }
    answer(&json!([issue]))
}

fn answer(data: &Value) -> ExitCode {
    eprintln!("Note: the envelope becomes the default in 2.0");
    if std::env::var_os("BD_JSON_ENVELOPE").is_some() {
        println!("{}", json!({"schema_version": 1, "data": data}));
    } else {
        println!("{data}");
    }
    ExitCode::SUCCESS
}

fn fail(why: &str, code: u8) -> ExitCode {
    // Some commands complain on the one stream and some on the other.
    println!("{}", json!({"error": why, "schema_version": 1}));
    ExitCode::from(code)
}
