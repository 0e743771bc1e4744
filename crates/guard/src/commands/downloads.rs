//! `curl`: where it puts what it gets.

use super::{Options, touch_all};
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// Options whose value is a file that is written, whatever is fetched.
const OUTPUTS: &[&str] = &[
    "-D",
    "--dump-header",
    "-c",
    "--cookie-jar",
    "--trace",
    "--trace-ascii",
    "--stderr",
];

const VALUED: &[&str] = &[
    "-o",
    "--output",
    "--output-dir",
    "-K",
    "--config",
    "-D",
    "--dump-header",
    "-c",
    "--cookie-jar",
    "--trace",
    "--trace-ascii",
    "--stderr",
    "-H",
    "-d",
    "-X",
    "-u",
    "-A",
    "-e",
    "-F",
    "-T",
    "-b",
    "-m",
    "--data",
    "--header",
];

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    if name != "curl" {
        return Ok(false);
    }
    let options = Options::parse(words, VALUED);
    touch_all(engine, Action::Overwrite, options.values(OUTPUTS))?;
    let mut written: Vec<Text> = options.values(&["-o", "--output"]).cloned().collect();
    if options.has(&["-O", "--remote-name", "--remote-name-all"]) {
        written.extend(options.operands.iter().filter_map(remote_name));
    }
    for file in options.values(&["-K", "--config"]) {
        let settings = match file.known().as_deref() {
            Some("-") => engine.stdin.clone(),
            _ => engine.content(file)?,
        };
        written.extend(configured(&settings));
    }
    let directory = options.value_in_full("--output-dir");
    for file in &written {
        let file = match directory {
            Some(directory) => {
                let mut path = directory.clone();
                path.append(&Text::fixed("/"));
                path.append(file);
                path
            }
            None => file.clone(),
        };
        engine.touch(Action::Overwrite, &file)?;
    }
    Ok(true)
}

/// The last part of an address, which is the name that a file is given.
fn remote_name(address: &Text) -> Option<Text> {
    let end = address.known_end();
    let path = end.split(['?', '#']).next()?;
    let (_, name) = path.rsplit_once('/')?;
    (!name.is_empty()).then(|| Text::fixed(name))
}

/// Where a file with settings says to write: `output = "a"`, `-o a`.
fn configured(settings: &Data) -> Vec<Text> {
    let lines = settings.text().unwrap_or_default().lines();
    let output = |line: &str| {
        let (name, value) = line.trim().split_once([' ', '=', ':'])?;
        let is_output = matches!(name.trim_start_matches('-'), "o" | "output");
        let value = value.trim_matches([' ', '=', ':', '"', '\'']);
        is_output.then(|| Text::fixed(value))
    };
    lines.filter_map(output).collect()
}
