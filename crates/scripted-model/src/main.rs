//! `scripted-model`: the server for a person at a terminal.

use scripted_model::{Script, Server};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "usage: scripted-model --script FILE [--port N]";

/// How soon a request is shown after it was made.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    match serve(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&*error);
            ExitCode::FAILURE
        }
    }
}

/// Serves until it is interrupted or nobody reads what it says: one line
/// with its address, then one line of JSON for each request.
fn serve(arguments: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let (script, port) = parse(arguments)?;
    let server = Server::start_on(port, Script::read(&script)?)?;
    let mut output = io::stdout().lock();
    writeln!(output, "listening on {}", server.url())?;
    let mut shown = 0;
    loop {
        for request in &server.requests()[shown..] {
            serde_json::to_writer(&mut output, request)?;
            writeln!(output)?;
            shown += 1;
        }
        output.flush()?;
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<(PathBuf, u16), Box<dyn Error>> {
    let mut script = None;
    let mut port = 0;
    while let Some(word) = words.next() {
        let value = words.next().ok_or(USAGE)?;
        match word.as_str() {
            "--script" => script = Some(PathBuf::from(value)),
            "--port" => port = value.parse().map_err(|_| USAGE)?,
            _ => return Err(USAGE.into()),
        }
    }
    Ok((script.ok_or(USAGE)?, port))
}

/// One line, the reasons behind each other.
fn report(error: &dyn Error) {
    let mut line = format!("error: {error}");
    let mut cause = error.source();
    while let Some(source) = cause {
        line.push_str(&format!(": {source}"));
        cause = source.source();
    }
    writeln!(io::stderr(), "{line}").ok();
}
