//! `sftp`: what it gets comes here, what it is told to do there may happen here, and a line may
//! be a command for a shell.

use super::{Options, hosts, remote};
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// More lines than these are not followed.
const MOST_LINES: usize = 64;

const VALUED: &[&str] = &[
    "-B", "-b", "-c", "-D", "-F", "-i", "-J", "-l", "-o", "-P", "-R", "-S", "-s", "-X",
];

pub(super) fn run(engine: &mut Engine<'_>, words: &[Text]) -> Result<bool, Stop> {
    let (options, at) = Options::parse_leading(words, VALUED);
    let Some((host, rest)) = words.get(at..).and_then(<[Text]>::split_first) else {
        return Ok(false);
    };
    let (host, file) = match remote::host_and_file(host) {
        Some((host, file)) => (host, Some(file)),
        None => (host.clone(), None),
    };
    let is_here = hosts::is_here(engine, &host, options.value(&["-F"]))?;
    if let Some(file) = file {
        // `sftp host:file place` gets one file.
        let mut line = vec![Text::fixed("get"), file];
        line.extend(rest.iter().cloned());
        return engine
            .apart(|engine| follow(engine, &line, is_here))
            .map(|()| true);
    }
    let batch = match options.value(&["-b"]) {
        Some(file) if file.known().as_deref() != Some("-") => engine.content(file)?,
        _ => engine.stdin.clone(),
    };
    engine.apart(|engine| {
        for line in batch.text().unwrap_or_default().lines().take(MOST_LINES) {
            let line = line.trim_start_matches(['-', '@', ' ']);
            if let Some(code) = line.strip_prefix('!') {
                engine.script(code)?;
                continue;
            }
            let words: Vec<Text> = line
                .split_whitespace()
                .map(|word| Text::fixed(word.trim_matches(['"', '\''])).unquoted())
                .collect();
            follow(engine, &words, is_here)?;
        }
        Ok(())
    })?;
    engine.print(&Data::Unknown);
    Ok(true)
}

/// One line of what it is told, as a program of this machine would be told it.
fn follow(engine: &mut Engine<'_>, words: &[Text], is_here: bool) -> Result<(), Stop> {
    let Some((verb, rest)) = words.split_first() else {
        return Ok(());
    };
    let operands = Options::parse(rest, &[]).operands;
    let verb = verb.known().unwrap_or_default();
    let program: &[&str] = match verb.as_str() {
        "rm" | "rmdir" if is_here => &["rm", "-rf"],
        "rename" if is_here => &["mv", "-f"],
        "put" | "mput" | "reput" if is_here => &["cp", "-r"],
        "cd" | "lcd" if is_here || verb == "lcd" => &["cd"],
        "get" | "mget" | "reget" => &["cp", "-r"],
        _ => return Ok(()),
    };
    let mut call: Vec<Text> = program.iter().copied().map(Text::fixed).collect();
    call.extend(operands.iter().cloned());
    if program.contains(&"cp") {
        if let Some(first) = call.get_mut(2).filter(|_| !is_here) {
            *first = remote::elsewhere(first);
        }
        if operands.len() == 1 {
            call.push(Text::fixed("."));
        }
    }
    engine.call(&call).map(drop)
}
