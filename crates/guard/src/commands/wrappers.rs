//! Programs that run another program.

use super::{Options, touch_all};
use crate::effect::Action;
use crate::shell::{Engine, joined};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// A program that runs the rest of its words as a command.
struct Wrapper {
    names: &'static [&'static str],
    /// Options with a value.
    valued: &'static [&'static str],
    /// Operands of its own before the command.
    operands: usize,
}

const fn wrapper(
    names: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper {
        names,
        valued,
        operands,
    }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(
        &["sudo", "doas"],
        &[
            "-u", "-g", "-h", "-p", "-C", "-T", "-U", "-D", "-R", "-r", "-t", "--user", "--group",
        ],
        0,
    ),
    wrapper(&["nice"], &["-n", "--adjustment"], 0),
    wrapper(&["ionice"], &["-c", "-n", "--class", "--classdata"], 0),
    wrapper(
        &[
            "nohup",
            "setsid",
            "command",
            "builtin",
            "noglob",
            "nocorrect",
            "caffeinate",
            "fakeroot",
            "catchsegv",
            "unbuffer",
            "ltrace",
            "eatmydata",
            "linux32",
            "linux64",
            "i386",
            "x86_64",
            "pkexec",
            "dbus-run-session",
            "xvfb-run",
            "busybox",
            "toybox",
            "bundle-exec",
            "rtk",
            "chronic",
            "ifne",
            "torsocks",
            "proxychains",
            "faketime",
            "sem",
        ],
        &[],
        0,
    ),
    wrapper(&["exec"], &["-a"], 0),
    wrapper(&["sshpass"], &["-p", "-f", "-d", "-P"], 0),
    wrapper(
        &["timeout", "gtimeout"],
        &["-s", "-k", "--signal", "--kill-after"],
        1,
    ),
    wrapper(&["time", "gtime"], &["-o", "-f", "--output", "--format"], 0),
    wrapper(&["stdbuf", "gstdbuf"], &["-i", "-o", "-e"], 0),
    wrapper(&["chrt"], &["-T", "-P", "-D", "-p"], 1),
    wrapper(&["taskset"], &[], 1),
    wrapper(
        &["flock"],
        &["-w", "-E", "--timeout", "--conflict-exit-code"],
        1,
    ),
    wrapper(
        &["strace"],
        &[
            "-o", "-e", "-p", "-s", "-u", "-E", "-P", "-a", "-I", "-O", "-S", "-X", "-b",
        ],
        0,
    ),
    wrapper(
        &["unshare", "nsenter"],
        &[
            "-S", "-G", "-R", "-w", "-t", "--setuid", "--setgid", "--root", "--wd", "--target",
        ],
        0,
    ),
    wrapper(&["setarch"], &[], 0),
    wrapper(&["chroot", "proot"], &["-r", "-b", "-w"], 1),
    wrapper(
        &[
            "setpriv",
            "prlimit",
            "numactl",
            "firejail",
            "systemd-run",
            "systemd-inhibit",
            "valgrind",
            "rlwrap",
            "daemonize",
            "cpulimit",
        ],
        &["-p", "-l", "-c", "-u"],
        0,
    ),
    wrapper(&["runuser"], &["-u", "-g", "-G"], 0),
    wrapper(
        &["npx", "bunx", "pnpx"],
        &["-p", "--package", "-c", "--call"],
        0,
    ),
    wrapper(&["rtx", "direnv"], &[], 2),
];

/// Programs whose words become a command after one of these.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("npm", &["exec", "x"]),
    ("pnpm", &["exec", "dlx"]),
    ("yarn", &["exec", "dlx"]),
    ("bundle", &["exec"]),
    ("uv", &["run"]),
    ("pipx", &["run"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("mise", &["exec", "x"]),
    ("perf", &["stat", "record"]),
];

/// Options of these with a value, before the command.
const VALUED_BEFORE: &[&str] = &[
    "--with",
    "--with-editable",
    "--with-requirements",
    "--python",
    "-p",
    "--extra",
    "--group",
    "--env-file",
    "--directory",
    "--project",
    "--package",
    "--spec",
];

/// Programs that take a whole command as one word: behind an option, or as their operands.
const SHELL_WORDS: &[(&str, &[&str], bool)] = &[
    ("su", &["-c", "--command"], false),
    ("runuser", &["-c", "--command"], false),
    ("flock", &["-c", "--command"], false),
    ("script", &["-c", "--command"], false),
    ("nix-shell", &["--run", "--command"], false),
    ("nix", &["-c", "--command"], false),
    ("watch", &[], true),
    (
        "hyperfine",
        &["-p", "--prepare", "-s", "--setup", "-c", "--cleanup"],
        true,
    ),
    ("entr", &[], true),
    ("nodemon", &["-x", "--exec"], false),
    ("watchexec", &[], true),
    ("concurrently", &[], true),
    ("expect", &["-c"], false),
    ("gdb", &["-ex"], false),
    ("tmux", &[], true),
    ("screen", &[], true),
    ("xterm", &["-e"], false),
    ("npx", &["-c", "--call"], false),
    ("npm", &["-c", "--call"], false),
];

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    if name == "env" {
        return env(engine, words).map(|()| true);
    }
    if name == "cmake" {
        return cmake(engine, words);
    }
    if matches!(name, "at" | "batch") {
        let code = engine.stdin.clone();
        return engine
            .apart(|engine| engine.source_data(&code))
            .map(|_| true);
    }
    let as_shell = shell_words(engine, name, words)?;
    if name == "script" {
        let options = Options::parse(words, &["-c", "--command", "-t", "-I", "-O", "-B", "-T"]);
        let append = options.has(&["-a", "--append"]);
        let action = if append {
            Action::Append
        } else {
            Action::Overwrite
        };
        touch_all(engine, action, &options.operands)?;
    }
    if let Some((_, verbs)) = SUBCOMMANDS.iter().find(|(own, _)| *own == name) {
        return subcommand(engine, words, verbs);
    }
    let Some(wrapper) = WRAPPERS
        .iter()
        .find(|wrapper| wrapper.names.contains(&name))
    else {
        return Ok(as_shell);
    };
    let (options, at) = Options::parse_leading(words, wrapper.valued);
    if matches!(name, "strace" | "time" | "gtime") {
        touch_all(
            engine,
            Action::Overwrite,
            options.values(&["-o", "--output"]),
        )?;
    }
    if name == "command" && options.has(&["-v", "-V"]) {
        return Ok(true);
    }
    let mut rest = words.get(at + wrapper.operands..).unwrap_or_default();
    // The architecture may be left out.
    if name == "setarch" && rest.first().is_some_and(is_architecture) {
        rest = &rest[1..];
        let flags = rest
            .iter()
            .take_while(|word| word.known_start().starts_with('-'));
        rest = &rest[flags.count()..];
    }
    // `timeout 5 -- rm`, and variables before the command: `sudo A=b rm`.
    let before_command = rest;
    while let Some((first, after)) = rest.split_first() {
        let known = first.known().unwrap_or_default();
        if known != "--" && !is_assignment(&known) {
            break;
        }
        rest = after;
    }
    let in_shell_of_its_own = !matches!(name, "command" | "builtin" | "exec");
    if !rest.is_empty() && !rest[0].known_start().starts_with('-') {
        if in_shell_of_its_own {
            let assigned = &before_command[..before_command.len() - rest.len()];
            engine.apart(|engine| {
                for word in assigned.iter().filter_map(Text::known) {
                    if let Some((name, value)) = word.split_once('=') {
                        engine.assign_exported(name, Text::fixed(value));
                    }
                }
                engine.call(rest)
            })?;
        } else {
            engine.call(rest)?;
        }
    }
    Ok(true)
}

fn is_architecture(word: &Text) -> bool {
    let known = word.known().unwrap_or_default();
    known.starts_with("linux") || known.chars().any(|c| c.is_ascii_digit()) && !known.contains('/')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let mut letters = name.chars();
        letters
            .next()
            .is_some_and(|c| c.is_alphabetic() || c == '_')
            && letters.all(|c| c.is_alphanumeric() || c == '_')
    })
}

fn subcommand(engine: &mut Engine<'_>, words: &[Text], verbs: &[&str]) -> Result<bool, Stop> {
    let is_verb = |word: &Text| {
        word.known()
            .is_some_and(|word| verbs.contains(&word.as_str()))
    };
    let Some(at) = words.iter().position(is_verb) else {
        return Ok(false);
    };
    let rest = &words[at + 1..];
    let (_, skipped) = Options::parse_leading(rest, VALUED_BEFORE);
    let mut call = rest[skipped..].to_vec();
    // Those that run programs of python take a file for one.
    if call
        .first()
        .is_some_and(|first| first.known_end().ends_with(".py"))
    {
        call.insert(0, Text::fixed("python"));
    }
    engine.apart(|engine| engine.call(&call))?;
    Ok(true)
}

fn shell_words(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    let Some((_, flags, operands)) = SHELL_WORDS.iter().find(|(own, ..)| *own == name) else {
        return Ok(false);
    };
    let valued: Vec<&str> = flags
        .iter()
        .copied()
        .chain(["-n", "--interval", "-w", "-r"])
        .collect();
    let (options, at) = Options::parse_leading(words, &valued);
    let mut behind: Vec<Text> = options.values(flags).cloned().collect();
    // `flock FILE -c COMMAND`: an operand may come first.
    let all = Options::parse(words, &valued);
    behind.extend(
        all.values(flags)
            .filter(|code| !behind.contains(code))
            .cloned()
            .collect::<Vec<_>>(),
    );
    for code in behind {
        let code = code.known().map_or(Data::Unknown, Data::Known);
        engine.apart(|engine| engine.source_data(&code))?;
    }
    if *operands {
        let rest = words.get(at..).unwrap_or_default();
        for code in rest {
            if let Some(code) = code.known().filter(|code| code.contains(' ')) {
                engine.apart(|engine| engine.script(&code))?;
            }
        }
        let code = joined(rest);
        engine.apart(|engine| engine.source_data(&code))?;
    }
    Ok(true)
}

fn env(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let (options, mut at) = Options::parse_leading(
        words,
        &["-u", "-C", "-S", "--unset", "--chdir", "--split-string"],
    );
    engine.apart(|engine| {
        if let Some(directory) = options.value(&["-C", "--chdir"]) {
            engine.call(&[Text::fixed("cd"), directory.clone()])?;
        }
        while let Some(word) = words.get(at) {
            let start = word.known_start();
            let Some((name, _)) = start.split_once('=') else {
                break;
            };
            let value = word.without_start(name.len() + 1);
            engine.assign_exported(name, value);
            at += 1;
        }
        if let Some(split) = options.value(&["-S", "--split-string"]) {
            let mut code = vec![split.clone()];
            code.extend(words[at..].iter().cloned());
            engine.source_data(&joined(&code))?;
        } else {
            engine.call(&words[at..])?;
        }
        Ok(())
    })
}

/// What `cmake -E` does is what a program for each does elsewhere.
fn cmake(engine: &mut Engine<'_>, words: &[Text]) -> Result<bool, Stop> {
    let [mode, verb, rest @ ..] = words else {
        return Ok(false);
    };
    if mode.known().as_deref() != Some("-E") {
        return Ok(false);
    }
    let verb = verb.known().unwrap_or_default();
    let program: &[&str] = match verb.as_str() {
        "rm" | "remove" => &["rm"],
        "remove_directory" => &["rm", "-rf"],
        "rename" => &["mv", "-f"],
        "copy" | "copy_if_different" => &["cp"],
        "copy_directory" | "copy_directory_if_different" => &["cp", "-r", "-T"],
        "env" => &["env"],
        "time" => &[],
        _ => return Ok(false),
    };
    let mut call: Vec<Text> = program.iter().copied().map(Text::fixed).collect();
    call.extend(rest.iter().cloned());
    engine.apart(|engine| engine.call(&call))?;
    Ok(true)
}
