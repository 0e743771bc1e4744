//! `ssh` and its kin: what is told another machine is its own affair, but the other machine may
//! be this one.

use std::path::PathBuf;

use super::hosts::is_here;
use super::{Options, sftp};
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::{Data, Part, Text};

/// The options of `ssh` that have a value.
const VALUED: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-P",
    "-p", "-Q", "-R", "-S", "-W", "-w",
];

/// Those of `scp`.
const VALUED_OF_COPIES: &[&str] = &["-c", "-D", "-F", "-i", "-J", "-l", "-o", "-P", "-S", "-X"];

/// Settings whose value is a command for a shell of this machine, whatever the host is.
const COMMANDS: [&str; 3] = ["proxycommand", "localcommand", "knownhostscommand"];

/// Stands for where the files of another machine are.
const ELSEWHERE: &str = "/nonexistent/elsewhere";

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    match name {
        "ssh" | "slogin" | "rsh" | "autossh" | "dbclient" | "mosh" => shell(engine, name, words),
        "scp" | "rcp" => copy(engine, words),
        "sftp" => sftp::run(engine, words),
        "pdsh" | "clush" | "pssh" | "parallel-ssh" => on_several(engine, words),
        _ => Ok(false),
    }
}

fn shell(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    let monitored = [VALUED, &["-M"]].concat();
    let valued = match name {
        "mosh" => &["-p"],
        "autossh" => monitored.as_slice(),
        _ => VALUED,
    };
    let (options, at) = Options::parse_leading(words, valued);
    let Some((host, rest)) = words.get(at..).and_then(<[Text]>::split_first) else {
        return Ok(false);
    };
    // Options may come behind the host as well.
    let (more, at) = Options::parse_leading(rest, valued);
    let command = &rest[at..];
    let mut real = None;
    for both in [&options, &more] {
        for log in both.values(&["-E"]) {
            engine.touch(Action::Append, log)?;
        }
        for setting in both.values(&["-o"]) {
            let (key, value) = setting_of(setting);
            if COMMANDS.contains(&key.as_str()) {
                engine.apart(|engine| engine.code(&value))?;
            } else if key == "hostname" {
                real.get_or_insert(value);
            }
        }
    }
    let host = real.as_ref().unwrap_or(host);
    let settings = options.value(&["-F"]).or(more.value(&["-F"])).cloned();
    let only_opens = ["-N", "-W", "-O", "-Q", "-G", "-V"];
    let runs = !options.has(&only_opens) && !more.has(&only_opens);
    if !runs || !is_here(engine, host, settings.as_ref())? {
        engine.print(&Data::Unknown);
        return Ok(true);
    }
    let code = one_line(command);
    engine.apart(|engine| {
        at_home_or_here(engine);
        match (command, name) {
            ([], "mosh") => Ok(None),
            ([], _) => {
                let code = engine.stdin.clone();
                engine.source_data(&code)
            }
            (_, "mosh") => engine.call(command),
            _ => engine.code(&code),
        }
    })?;
    Ok(true)
}

/// `scp`: a name with a host before it is a file there, and a copy comes here or does not.
fn copy(engine: &mut Engine<'_>, words: &[Text]) -> Result<bool, Stop> {
    let options = Options::parse(words, VALUED_OF_COPIES);
    let mut call = vec![Text::fixed("cp"), Text::fixed("-r")];
    for word in &options.operands {
        let file = match host_and_file(word) {
            None => word.clone(),
            Some((host, file)) if is_here(engine, &host, None)? => file,
            Some((_, file)) => elsewhere(&file),
        };
        call.push(file);
    }
    engine.apart(|engine| engine.call(&call))?;
    Ok(true)
}

/// A file of another machine, by a name that nothing has here.
pub(super) fn elsewhere(file: &Text) -> Text {
    let mut elsewhere = Text::fixed(format!("{ELSEWHERE}/"));
    elsewhere.append(file);
    elsewhere
}

/// `pdsh -w a,b rm c`: the same on several machines, of which one may be this one.
fn on_several(engine: &mut Engine<'_>, words: &[Text]) -> Result<bool, Stop> {
    let valued = [
        "-w", "-H", "--host", "-x", "-l", "-u", "-t", "-p", "-O", "-o", "-e", "-f",
    ];
    let (options, at) = Options::parse_leading(words, &valued);
    let hosts: Vec<String> = options
        .values(&["-w", "-H", "--host"])
        .filter_map(Text::known)
        .collect();
    let code = one_line(&words[at..]);
    engine.print(&Data::Unknown);
    for host in hosts.iter().flat_map(|hosts| hosts.split([',', ' '])) {
        if is_here(engine, &Text::fixed(host), None)? {
            engine.apart(|engine| {
                at_home_or_here(engine);
                engine.code(&code)
            })?;
        }
    }
    Ok(true)
}

/// `host:file`, as `scp` and `rsync` tell it from a name with a colon in it.
pub(super) fn host_and_file(word: &Text) -> Option<(Text, Text)> {
    let start = word.known_start();
    if let Some(address) = start.strip_prefix("scp://") {
        let (host, _) = address.split_once('/')?;
        let before = start.len() - address.len() + host.len() + 1;
        return Some((Text::fixed(host), word.without_start(before)));
    }
    let end = match start
        .strip_prefix('[')
        .or(start.split_once("@[").map(|(_, host)| host))
    {
        Some(address) => start.len() - address.len() + address.find("]:")? + 1,
        None => start.find(':')?,
    };
    let (host, _) = start.split_at(end);
    let is_host = !host.is_empty() && !host.contains('/');
    is_host.then(|| (Text::fixed(host), word.without_start(end + 1)))
}

/// `Key=Value` and `Key Value`.
fn setting_of(setting: &Text) -> (String, Text) {
    let start = setting.known_start();
    let end = start.find(['=', ' ', '\t']).unwrap_or(start.len());
    let key = start[..end].to_ascii_lowercase();
    let value = start[end..].trim_start_matches(['=', ' ', '\t', '"']);
    (key, setting.without_start(start.len() - value.len()))
}

/// The words as the other side's shell reads them.
fn one_line(words: &[Text]) -> Text {
    let mut line = Text::default();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            line.push(Part::Fixed(" ".to_owned()));
        }
        line.append(word);
    }
    line
}

/// Who logs in is at home. Whoever writes names as they are here takes it to be here.
fn at_home_or_here(engine: &mut Engine<'_>) {
    let mut directories = engine.shell.directories.clone();
    let home = engine.shell.known("HOME").map(PathBuf::from);
    directories.extend(home.map(Some));
    engine.shell.go(directories, false);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_is_there_or_here() {
        let split = |word: &str| {
            let both = host_and_file(&Text::fixed(word));
            both.map(|(host, file)| {
                (
                    host.known().unwrap_or_default(),
                    file.known().unwrap_or_default(),
                )
            })
        };
        let both = |host: &str, file: &str| Some((host.to_owned(), file.to_owned()));
        assert_eq!(split("a:b/c"), both("a", "b/c"));
        assert_eq!(split("me@a:"), both("me@a", ""));
        assert_eq!(split("[::1]:b"), both("[::1]", "b"));
        assert_eq!(split("me@[::1]:b"), both("me@[::1]", "b"));
        assert_eq!(split("scp://a:22/b"), both("a:22", "b"));
        assert_eq!(split("./a:b"), None);
        assert_eq!(split("a/b"), None);
    }

    #[test]
    fn settings_are_written_in_two_ways() {
        for setting in ["HostName=a b", "hostname a b", "HOSTNAME = \"a b"] {
            let (key, value) = setting_of(&Text::fixed(setting));
            assert_eq!(
                (key.as_str(), value.known().as_deref()),
                ("hostname", Some("a b"))
            );
        }
    }
}
