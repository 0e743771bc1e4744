//! `cargo xtask web`: what strangers make of what `fusebox serve` gives.
//!
//! The description of the interface is handed to a program that makes up requests
//! from it, fitting and unfitting ones, and no answer may be a failure of ours. The
//! numbers and the traces are read by programs that others wrote for that.

use crate::place;
use crate::stage::{Outcome, Stages, outcome_of};
use crate::watchdog::Deadline;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(15 * 60);

/// What is installed with pip, in releases that are known to work.
const PYTHON: [&str; 2] = ["schemathesis==4.32.5", "opentelemetry-proto==1.45.2"];

/// What every answer must be, whatever was asked.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,ignored_auth";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Fetch the tools first.
    pub(crate) install: bool,
}

impl Options {
    pub(crate) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        for word in words {
            match word {
                "--install" => options.install = true,
                _ => bail!("`{word}` is not --install"),
            }
        }
        Ok(options)
    }
}

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
    let served = Served::start()?;
    let description = served.place.path().join("openapi.json");
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
        .current_dir(served.place.path());
    outcome_of(&mut fuzz, deadline)
}

/// What the reader of such numbers says to ours.
fn numbers(deadline: Deadline) -> Result<Outcome> {
    if !place::is_on_path("promtool") {
        return Ok(Outcome::NotRun(
            "there is no promtool; --install fetches it".into(),
        ));
    }
    let served = Served::start()?;
    let file = served.place.path().join("metrics.prom");
    fs::write(&file, served.get("/metrics")?)?;
    let mut check = Command::new("promtool");
    check
        .args(["check", "metrics"])
        .stdin(fs::File::open(&file)?);
    outcome_of(&mut check, deadline)
}

/// A server over a memory of its own, with a little of everything in it.
struct Served {
    place: TempDir,
    child: Child,
    port: u16,
    token: String,
}

impl Served {
    fn start() -> Result<Self> {
        let place = tempfile::tempdir()?;
        let binary = place::target_directory()?.join("debug/fusebox");
        for words in [
            &["tasks", "add", "a task"][..],
            &["record", "--files-changed", "3", "--task", "T-1"],
            &["record", "--files-changed", "0", "--task", "T-1"],
            &["trip", "--reason", "to have one"],
        ] {
            let status = command(&binary, place.path())?
                .args(words)
                .stderr(Stdio::null())
                .stdout(Stdio::null())
                .status()?;
            ensure!(status.success(), "{words:?}: {status}");
        }
        let mut child = command(&binary, place.path())?
            .args(["serve", "--json", "--allow-actions"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let out = child.stdout.take().context("it has no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let found: Value = serde_json::from_str(&line).context("it does not say where it is")?;
        let port = found["port"]
            .as_u64()
            .and_then(|port| u16::try_from(port).ok());
        Ok(Self {
            place,
            child,
            port: port.context("it has no port")?,
            token: found["token"].as_str().unwrap_or_default().to_owned(),
        })
    }

    fn get(&self, target: &str) -> Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let (port, token) = (self.port, &self.token);
        let head = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
        stream.write_all(format!("GET {target} HTTP/1.1\r\n{head}\r\n").as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
        ensure!(head.starts_with("HTTP/1.1 200 "), "{target}: {head}");
        Ok(body.to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
