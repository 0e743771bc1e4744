//! Beads: the real other implementation where it is installed, and a stand-in for
//! the Go program in its dialects.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fusebox_tasks::{Settled, SourceError, Status, TaskError};
use serde_json::{Value, json};

use crate::support::{HOUR, Place, at, process, program, ready, somebody};

/// A repository that the stand-in keeps.
fn stand_in(release: &str, issues: &Value) -> Place {
    let mut place = Place::with(".beads/metadata.json", "{}");
    place.write(".beads/release", release);
    place.write(".beads/stand-in.json", &issues.to_string());
    place.path = program(&place, "bd", Path::new(env!("CARGO_BIN_EXE_bd-stand-in")));
    place
}

fn issues() -> Value {
    json!([
        {"id": "bd-1", "title": "a", "status": "open", "priority": 2, "issue_type": "bug", "updated_at": "2026-01-31T11:00:00Z"},
        {"id": "bd-2", "title": "b", "status": "open", "priority": 0, "issue_type": "task", "blocked_by": "bd-1"},
        {"id": "bd-3", "title": "c", "status": "in_progress", "priority": 1, "assignee": "alice",
         "started_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-31T11:59:00Z"},
        {"id": "bd-4", "title": "d", "status": "qa", "priority": 1},
    ])
}

fn kept(place: &Place, id: &str) -> Value {
    let all: Vec<Value> = serde_json::from_str(&place.read(".beads/stand-in.json")).unwrap();
    all.into_iter().find(|issue| issue["id"] == id).unwrap()
}

#[test]
fn req_000_010_and_106_beads_without_leases_is_judged_by_its_last_change() {
    let place = stand_in("1.0", &issues());
    let mut desk = place.desk();
    assert!(!desk.capabilities().lease && !desk.capabilities().guard);
    let items = desk.look(&at(0)).unwrap();
    assert_eq!(
        ready(&items),
        ["bd-1"],
        "bd-2 is held back, and bd-3 was changed a minute ago"
    );
    assert_eq!(ready(&desk.look(&at(HOUR)).unwrap()), ["bd-3", "bd-1"]);
    let recovered = desk.recover("x", &at(HOUR)).unwrap();
    assert_eq!(
        (recovered[0].id.as_str(), recovered[0].settled),
        ("bd-3", Settled::Reopened)
    );
    let issue = kept(&place, "bd-3");
    assert_eq!(
        (&issue["status"], &issue["assignee"]),
        (&json!("open"), &Value::Null),
        "a plain `bd ready` shows it"
    );
    assert!(issue["notes"].as_str().unwrap().contains("no heartbeat"));
    // What had been started long ago and is claimed now is new.
    desk.claim("bd-3", &somebody("bob"), &at(HOUR)).unwrap();
    assert!(!desk.find("bd-3", &at(HOUR + 60)).unwrap().is_stale());
    desk.block("bd-3", None, "no way", &at(HOUR)).unwrap();
    assert_eq!(kept(&place, "bd-3")["status"], "blocked");
    desk.claim("bd-1", &somebody("bob"), &at(HOUR)).unwrap();
    desk.done("bd-1", None, "tests pass", &at(HOUR)).unwrap();
    assert_eq!(kept(&place, "bd-1")["close_reason"], "tests pass");
}

#[test]
fn beads_with_leases_is_judged_by_them_and_guards_what_it_changes() {
    let mut all = issues();
    all[2]["lease_expires_at"] = json!("2026-01-31T12:00:00Z");
    let place = stand_in("1.2", &all);
    let mut desk = place.desk();
    assert!(desk.capabilities().lease && desk.capabilities().guard);
    assert!(
        !desk.find("bd-3", &at(600)).unwrap().is_stale(),
        "within the grace"
    );
    let item = desk.find("bd-3", &at(601)).unwrap();
    assert!(item.is_stale() && item.verdict.words().contains("lease ran out"));
    // A worker of ours that lives outranks a lease that nobody renewed.
    desk.claim("bd-1", &process("tester", std::process::id()), &at(0))
        .unwrap();
    assert_eq!(
        kept(&place, "bd-1")["lease_expires_at"],
        "2026-01-31T12:05:00Z"
    );
    assert!(!desk.find("bd-1", &at(24 * HOUR)).unwrap().is_stale());
    desk.heartbeat("bd-1", None, &at(1)).unwrap();
    assert_eq!(
        kept(&place, "bd-1")["lease_expires_at"],
        "2099-01-01T00:00:00Z"
    );
    // Somebody else was quicker: it is theirs, and no failure of ours.
    let mut other = place.desk();
    let stale = other.look(&at(700)).unwrap();
    assert!(
        stale
            .iter()
            .any(|item| item.task.id == "bd-3" && item.is_stale())
    );
    let mut changed: Vec<Value> =
        serde_json::from_str(&place.read(".beads/stand-in.json")).unwrap();
    changed[2]["assignee"] = json!("carol");
    place.write(".beads/stand-in.json", &json!(changed).to_string());
    let recovered = other.recover("x", &at(700)).unwrap();
    assert_eq!(recovered.len(), 1, "carol's own lease has run out as well");
    let error = desk.claim("bd-4", &somebody("x"), &at(0)).unwrap_err();
    assert!(
        matches!(error, TaskError::NotReady { .. }),
        "a status of somebody's own: {error}"
    );
}

#[test]
fn bd_that_fails_is_not_an_empty_list_and_takes_nothing_from_anybody() {
    let place = stand_in("1.0", &issues());
    let mut desk = place.desk();
    place.write(".beads/fault", "locked");
    let error = desk.look(&at(0)).unwrap_err();
    assert!(
        matches!(error, TaskError::Source(SourceError::Unavailable { .. })),
        "{error}"
    );
    assert!(
        error.to_string().contains("locked by another process"),
        "{error}"
    );
    assert!(desk.recover("x", &at(9 * HOUR)).is_err());
    assert!(desk.claim("bd-1", &somebody("x"), &at(0)).is_err());
    assert_eq!(kept(&place, "bd-3")["status"], "in_progress");
    // One that fails after it has done what it was to do has done it.
    place.write(".beads/fault", "mutates-then-fails");
    desk.claim("bd-1", &somebody("x"), &at(0)).unwrap();
    desk.done("bd-1", None, "shown", &at(1)).unwrap();
    assert_eq!(kept(&place, "bd-1")["status"], "closed");
    fs::remove_file(place.root().join(".beads/fault")).unwrap();
    let nobody = desk.find("bd-9", &at(0)).unwrap_err();
    assert!(
        matches!(nobody, TaskError::Source(SourceError::NoSuchTask { .. })),
        "{nobody}"
    );
    // Without the program the list is not available either.
    let mut without = stand_in("1.0", &issues());
    without.path = OsString::from("/nowhere");
    assert!(matches!(
        without.try_desk(None),
        Err(SourceError::Unavailable { .. })
    ));
}

#[test]
fn all_of_many_are_listed() {
    let many: Vec<Value> = (0..120)
        .map(|n| json!({"id": format!("bd-{n}"), "title": "t", "status": "open"}))
        .collect();
    let place = stand_in("1.2", &json!(many));
    assert_eq!(ready(&place.desk().look(&at(0)).unwrap()).len(), 120);
}

/// The real program, if the set-up has installed it.
fn real_bd() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let named = std::env::var_os("FUSEBOX_BD").map(PathBuf::from);
    let bd = named.or_else(|| Some(cache?.join("fusebox-bd/bin/bd")))?;
    bd.is_file().then_some(bd)
}

/// A repository of the real program, with a server of its own.
struct Real {
    place: Place,
    bd: PathBuf,
}

impl Real {
    fn new(bd: &Path) -> Self {
        let mut place = Place::new();
        // It keeps its server and its data where these variables point; the wrapper
        // holds them, so that tests beside this one keep their own.
        let homes = place.dir.path().join("homes");
        fs::create_dir(&homes).unwrap();
        let wrapper = place.dir.path().join("wrapper");
        let text = format!(
            "#!/bin/sh\nHOME='{0}' XDG_RUNTIME_DIR='{0}' XDG_DATA_HOME='{0}' BD_NO_AUTO_UPGRADE=1 exec '{1}' \"$@\"\n",
            homes.display(),
            bd.display()
        );
        fs::write(&wrapper, text).unwrap();
        Command::new("chmod")
            .arg("+x")
            .arg(&wrapper)
            .status()
            .unwrap();
        place.path = program(&place, "bd", &wrapper);
        let real = Self { place, bd: wrapper };
        let (root, origin) = (real.place.root(), real.place.dir.path().join("origin.git"));
        git(&root, &["init", "-q", "--bare", origin.to_str().unwrap()]);
        git(&root, &["init", "-q", "."]);
        git(
            &root,
            &[
                "-c",
                "user.name=n",
                "-c",
                "user.email=e",
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                "x",
            ],
        );
        git(
            &root,
            &["remote", "add", "origin", origin.to_str().unwrap()],
        );
        real.bd(&["init"]);
        real
    }

    fn bd(&self, args: &[&str]) -> String {
        let done = Command::new(&self.bd)
            .args(args)
            .current_dir(self.place.root())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "bd {args:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    fn create(&self, title: &str, priority: &str) -> String {
        let told: Value =
            serde_json::from_str(&self.bd(&["create", title, "-p", priority, "-d", "x", "--json"]))
                .unwrap();
        told["data"]["id"].as_str().unwrap().to_owned()
    }
}

impl Drop for Real {
    /// Ends the server that the program has left behind: the one that was started
    /// with our own directory in its environment, and no other.
    fn drop(&mut self) {
        let mark = format!(
            "XDG_RUNTIME_DIR={}",
            self.place.dir.path().join("homes").display()
        );
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            let ours = environment
                .split(|byte| *byte == 0)
                .any(|pair| pair == mark.as_bytes());
            let pid = entry
                .file_name()
                .to_string_lossy()
                .parse()
                .ok()
                .and_then(rustix::process::Pid::from_raw);
            if let Some(pid) = pid.filter(|_| ours) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

fn git(directory: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(args)
        .current_dir(directory)
        .status()
        .unwrap();
    assert!(done.success(), "git {args:?}");
}

#[test]
fn req_000_016_and_106_the_real_other_bd_is_driven_from_claim_to_close() {
    let Some(bd) = real_bd() else {
        eprintln!("SKIPPED: no `bd` of beads-rs; `cargo xtask test` installs it");
        return;
    };
    let real = Real::new(&bd);
    let (low, high) = (real.create("later", "3"), real.create("first", "1"));
    let mut desk = real.place.desk();
    assert_eq!(desk.name(), "beads");
    assert!(desk.capabilities().lease && !desk.capabilities().guard && !desk.capabilities().block);
    let now = fusebox_tasks::Now {
        wall_ms: jiff::Timestamp::now().as_millisecond(),
        ..at(0)
    };
    assert_eq!(ready(&desk.look(&now).unwrap()), [high.as_str(), &low]);
    // A worker that is killed gives it back, and the program itself shows it then.
    let mut worker = Command::new("sleep").arg("600").spawn().unwrap();
    let claimed = desk
        .next(&process("w", worker.id()), |_| true, &now)
        .unwrap()
        .unwrap();
    assert_eq!(claimed.item.task.id, high);
    let item = desk.find(&high, &now).unwrap();
    assert_eq!(item.task.status, Status::InProgress);
    assert!(item.task.holder.lease_until_ms.unwrap() > now.wall_ms);
    assert!(matches!(
        desk.claim(&high, &somebody("thief"), &now),
        Err(TaskError::Taken { .. })
    ));
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert!(
        desk.find(&high, &now).unwrap().is_stale(),
        "although its lease holds for an hour"
    );
    assert_eq!(desk.recover("x", &now).unwrap().len(), 1);
    assert!(
        real.bd(&["show", &high, "--json"])
            .contains("\"status\": \"open\"")
    );
    // Claimed anew, renewed, given up and taken up again, and closed.
    let claimed = desk.claim(&high, &somebody("w"), &now).unwrap();
    desk.heartbeat(&high, Some(claimed.fence), &now).unwrap();
    desk.block(&high, Some(claimed.fence), "no way", &now)
        .unwrap();
    assert_eq!(desk.find(&high, &now).unwrap().status, Status::Blocked);
    desk.reopen(&high, "a way", "person", &now).unwrap();
    desk.claim(&high, &somebody("w"), &now).unwrap();
    desk.done(&high, None, "tests pass", &now).unwrap();
    assert!(
        real.bd(&["show", &high, "--json"])
            .contains("\"status\": \"closed\"")
    );
    assert_eq!(desk.find(&high, &now).unwrap().status, Status::Done);
}
