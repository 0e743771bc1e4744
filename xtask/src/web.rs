//! `cargo xtask web`: what strangers make of what `fusebox serve` gives.
//!
//! The description of the interface is handed to a program that makes up requests
//! from it, fitting and unfitting ones, and no answer may be a failure of ours. The
//! numbers and the traces are read by programs that others wrote for that.

use crate::install::Options;
use crate::place;
use crate::served::Served;
use crate::stage::{Outcome, Stages, outcome_of};
use crate::watchdog::Deadline;
use anyhow::{Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(15 * 60);

/// What is installed with pip, in releases that are known to work.
const PYTHON: [&str; 2] = ["schemathesis==4.32.5", "opentelemetry-proto==1.45.2"];

/// What every answer must be, whatever was asked.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,ignored_auth";

pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let mut stages = Stages::within(LIMIT);
    if options.install {
        stages.run("pip", install);
        stages.run("promtool", crate::install::promtool);
    }
    stages.run_command(
        "build",
        place::cargo(&["build", "--locked", "--bin", "fusebox"]),
    );
    stages.run("requests", requests);
    stages.run("numbers", numbers);
    stages.run("traces", traces);
    Ok(stages.conclude())
}

fn install(deadline: Deadline) -> Result<Outcome> {
    let directory = place::python_directory()?;
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(&directory);
    let made = outcome_of(&mut make, deadline)?;
    if made != Outcome::Passed {
        return Ok(made);
    }
    let mut pip = Command::new(directory.join("bin/pip"));
    pip.args(["install", "--quiet"]).args(PYTHON);
    outcome_of(&mut pip, deadline)
}

/// Hundreds of requests made up from the description of the interface.
fn requests(deadline: Deadline) -> Result<Outcome> {
    let program = place::python_directory()?.join("bin/schemathesis");
    if !program.is_file() {
        return Ok(Outcome::NotRun(
            "there is no schemathesis; --install fetches it".into(),
        ));
    }
    let place = tempfile::tempdir()?;
    let served = start(place.path())?;
    let description = place.path().join("openapi.json");
    fs::write(&description, served.get("/api/openapi.json")?)?;
    let mut fuzz = Command::new(program);
    fuzz.arg("run")
        .arg(&description)
        .args(["--url", &format!("http://127.0.0.1:{}", served.port)])
        .args([
            "--header",
            &format!("Authorization: Bearer {}", served.token),
        ])
        // It never ends.
        .args(["--exclude-path", "/api/events"])
        .args(["--checks", CHECKS, "--phases", "examples,coverage,fuzzing"])
        .args([
            "--max-examples",
            "100",
            "--continue-on-failure",
            "--no-color",
        ])
        .current_dir(place.path());
    outcome_of(&mut fuzz, deadline)
}

/// What the reader of such numbers says to ours.
fn numbers(deadline: Deadline) -> Result<Outcome> {
    if !place::is_on_path("promtool") {
        return Ok(Outcome::NotRun(
            "there is no promtool; --install fetches it".into(),
        ));
    }
    let place = tempfile::tempdir()?;
    let served = start(place.path())?;
    let file = place.path().join("metrics.prom");
    fs::write(&file, served.get("/metrics")?)?;
    let mut check = Command::new("promtool");
    check
        .args(["check", "metrics"])
        .stdin(fs::File::open(&file)?);
    outcome_of(&mut check, deadline)
}

/// Whether the protocol's own definitions can read our traces.
fn traces(deadline: Deadline) -> Result<Outcome> {
    let python = place::python_directory()?.join("bin/python");
    if !python.is_file() {
        let why = "there is no opentelemetry-proto; --install fetches it";
        return Ok(Outcome::NotRun(why.into()));
    }
    let place = tempfile::tempdir()?;
    let _served = start(place.path())?;
    let binary = place::target_directory()?.join("debug/fusebox");
    let exported = command(&binary, place.path())?
        .args(["otlp", "export"])
        .output()?;
    ensure!(
        exported.status.success(),
        "otlp export: {}",
        exported.status
    );
    let file = place.path().join("traces.jsonl");
    fs::write(&file, exported.stdout)?;
    let mut read = Command::new(python);
    read.args(["-c", READ_TRACES]).stdin(fs::File::open(&file)?);
    outcome_of(&mut read, deadline)
}

/// The tests read what they export with the same.
const READ_TRACES: &str = include_str!("../../crates/fusebox/tests/it/read_traces.py");

/// A server over a memory of its own, with a little of everything in it.
fn start(place: &Path) -> Result<Served> {
    let binary = place::target_directory()?.join("debug/fusebox");
    for words in [
        &["tasks", "add", "a task"][..],
        &["record", "--files-changed", "3", "--task", "T-1"],
        &["record", "--files-changed", "0", "--task", "T-1"],
        &["trip", "--reason", "to have one"],
    ] {
        let status = command(&binary, place)?
            .args(words)
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .status()?;
        ensure!(status.success(), "{words:?}: {status}");
    }
    let fleet = format!("file://{}", place.join("fleet").display());
    let mut serve = command(&binary, place)?;
    serve.args(["serve", "--json", "--allow-actions", "--fleet", &fleet]);
    Served::start(&mut serve)
}

/// fusebox with nothing but this place around it.
fn command(binary: &Path, place: &Path) -> Result<Command> {
    let work: PathBuf = place.join("work");
    fs::create_dir_all(&work)?;
    let mut command = Command::new("setsid");
    command
        .arg(binary)
        .current_dir(&work)
        .stdin(Stdio::null())
        .env("HOME", place)
        .env("FUSEBOX_STATE_DIR", place.join("state"))
        .env("XDG_DATA_HOME", place.join("data"));
    Ok(command)
}
