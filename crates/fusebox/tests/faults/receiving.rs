//! What agents say they spent, taken in by a receiver that is killed, refused and cut off.
//!
//! The file is as it was or as it will be, and the latter if the agent was told that its numbers
//! were taken; the next receiver goes on from there, and what is sent again counts once.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::agents::have;
use crate::place::{FUSEBOX, Place, files_below};
use crate::sampling::{for_each, proof};
use crate::strace;

/// Ten tokens of a model.
const SPENT: &str = r#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[
    {"name":"claude_code.token.usage","sum":{"aggregationTemporality":1,"dataPoints":[
    {"asInt":"10","attributes":[{"key":"model","value":{"stringValue":"m"}},
    {"key":"type","value":{"stringValue":"input"}}]}]}}]}]}]}"#;

/// A receiver, in a process group that ends with it.
struct Receiver {
    child: Child,
    _said: BufReader<ChildStdout>,
    found: Value,
}

impl Receiver {
    fn start(place: &Place, before: &[String]) -> Self {
        let words = [before, &["env".to_owned(), FUSEBOX.to_owned()]].concat();
        let mut child = place
            .command(&words[0])
            .args(&words[1..])
            .args(["otlp", "receive", "--json"])
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let found = serde_json::from_str(&line).unwrap();
        Self {
            child,
            _said: said,
            found,
        }
    }

    /// Sends the numbers; whether they were taken.
    fn push(&self) -> bool {
        let text = |key: &str| self.found[key].as_str().unwrap();
        let address = text("endpoint").strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let (token, length) = (text("token"), SPENT.len());
        let head = format!(
            "POST /v1/metrics HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream
            .write_all(format!("{head}{SPENT}").as_bytes())
            .unwrap();
        let mut answer = String::new();
        // One that is killed says nothing.
        let _ = stream.read_to_string(&mut answer);
        answer.starts_with("HTTP/1.1 200")
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

/// How many tokens are written down.
fn kept(place: &Place) -> f64 {
    let Some(file) = place.find("telemetry.json") else {
        return 0.0;
    };
    let text = fs::read_to_string(file).unwrap();
    let whole: Value = serde_json::from_str(&text).expect("it is whole");
    whole["models"]["m"]["tokens"]["input"].as_f64().unwrap()
}

fn equal(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.5
}

/// What is done to the calls that concern the draft of the file.
fn at_the_draft(place: &Place, call: &str, fault: &str) -> Vec<String> {
    let draft = place
        .homes()
        .join("state/fusebox/.telemetry.json.fusebox-new");
    let draft = draft.display().to_string();
    let inject = format!("inject={call}:{fault}:when=1");
    let words = [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-P",
        &draft,
        "-e",
        &inject,
    ];
    words.map(str::to_owned).to_vec()
}

#[test]
fn what_agents_spent_is_counted_once_whatever_happens_to_the_receiver() {
    if !strace::available() || !have("prlimit") {
        return;
    }
    let mut faults = vec![("", "")];
    for call in ["openat", "write", "fdatasync", "renameat"] {
        let refusals = ["signal=KILL", "error=ENOSPC", "error=EIO"];
        faults.extend(refusals.map(|fault| (call, fault)));
    }
    for_each(&faults, |(call, fault)| {
        let place = Place::new();
        assert!(Receiver::start(&place, &[]).push());
        assert!(equal(kept(&place), 10.0));
        let before = match *call {
            // What fits is truly written, and the rest refused.
            "" => vec!["prlimit".to_owned(), "--fsize=9:9".to_owned()],
            call => at_the_draft(&place, call, fault),
        };
        let receiver = Receiver::start(&place, &before);
        let taken = receiver.push();
        let context = format!("{call} {fault}");
        assert!(!taken, "{context}: nothing was done to it");
        assert!(equal(kept(&place), 10.0), "{context}: {}", kept(&place));
        // Whoever was refused sends it again, to the same one where that is still there.
        let again = !call.is_empty() && *fault != "signal=KILL" && receiver.push();
        drop(receiver);
        assert!(again || Receiver::start(&place, &[]).push(), "{context}");
        assert!(equal(kept(&place), 20.0), "{context}: {}", kept(&place));
        let mut drafts = files_below(place.homes());
        drafts.retain(|path| path.to_string_lossy().ends_with(".fusebox-new"));
        assert!(drafts.is_empty(), "{context}: {drafts:?}");
    });
    proof("faults", faults.len(), "otlp receive");
}
