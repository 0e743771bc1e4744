//! Scripts in files, and the program that serves them.

#![expect(
    clippy::unwrap_used,
    reason = "all of this is tests, also where it is not marked as one"
)]

use scripted_model::{Script, ScriptError, Step};
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn file(directory: &Path, text: &str) -> PathBuf {
    let path = directory.join("script.json");
    std::fs::write(&path, text).unwrap();
    path
}

/// The example that people copy is the one that is tested.
fn example_in_readme() -> &'static str {
    let readme = include_str!("../README.md");
    let (_, after) = readme.split_once("```json\n").unwrap();
    after.split_once("```").unwrap().0
}

#[test]
fn the_example_in_the_readme_uses_every_kind_of_step() {
    let directory = tempfile::tempdir().unwrap();
    let script = Script::read(&file(directory.path(), example_in_readme())).unwrap();
    assert!(script.repeat_last);
    let kinds: Vec<&str> = script
        .steps
        .iter()
        .map(|step| match step {
            Step::Reply(_) => "reply",
            Step::Fail { .. } => "fail",
            Step::Status { .. } => "status",
            Step::BreakOff { .. } => "break-off",
            Step::Hang => "hang",
            Step::Drop => "drop",
        })
        .collect();
    for kind in ["reply", "fail", "status", "break-off", "hang", "drop"] {
        assert!(kinds.contains(&kind), "{kind} is missing from {kinds:?}");
    }
}

#[test]
fn a_script_that_means_nothing_is_refused_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    for text in [
        "",
        "[]",
        r#"{"steps": [{"do": "sing"}]}"#,
        r#"{"steps": [{"do": "reply", "txt": "typo"}]}"#,
        r#"{"steps": [{"do": "reply", "calls": [{"shel": "typo"}]}]}"#,
        r#"{"steps": [], "repeat": true}"#,
    ] {
        let path = file(directory.path(), text);
        let error = Script::read(&path).unwrap_err();
        assert!(matches!(error, ScriptError::Malformed { .. }), "{text}");
        assert!(error.to_string().contains(path.to_str().unwrap()));
        assert!(error.source().is_some());
    }
    let error = Script::read(&directory.path().join("absent")).unwrap_err();
    assert!(matches!(error, ScriptError::Unreadable { .. }));
}

#[test]
fn the_program_says_where_it_listens_and_what_it_is_asked() {
    let directory = tempfile::tempdir().unwrap();
    let script = file(directory.path(), r#"{"steps": []}"#);
    let mut program = Command::new(env!("CARGO_BIN_EXE_scripted-model"))
        .arg("--script")
        .arg(script)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let address = first.strip_prefix("listening on http://").unwrap();
    let mut connection = std::net::TcpStream::connect(address).unwrap();
    std::io::Write::write_all(&mut connection, b"GET /v1/models HTTP/1.1\r\n\r\n").unwrap();
    let request = lines.next().unwrap().unwrap();
    program.kill().unwrap();
    program.wait().unwrap();
    let request: serde_json::Value = serde_json::from_str(&request).unwrap();
    assert_eq!(request["path"], "/v1/models");
    assert_eq!(request["declares_tools"], false);
}

#[test]
fn a_wrong_command_line_is_answered_with_the_right_one() {
    for arguments in [&[][..], &["--script"], &["--port", "x", "--script", "s"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_scripted-model"))
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("usage: scripted-model"), "{said}");
    }
}
