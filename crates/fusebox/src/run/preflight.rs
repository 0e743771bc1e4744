//! What can be told before the first token is spent.
//!
//! An agent that is not signed in, may not write or stands at its limit burns
//! the first iterations on nothing. Each finding is one line with what to do
//! about it; only what cannot work stops the run.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fusebox_agents::{Agent, Permissions};
use fusebox_core::Circuit;
use fusebox_core::decision::Gate;
use fusebox_core::machine;
use fusebox_evidence::suggest::{Project, Suggestion, test_commands};
use fusebox_view::phrase;
use fusebox_workspace::RootMark;
use rustix::fs::{Access, access};
use serde::Serialize;

use super::plan::{Plan, Work};
use crate::exit;
use crate::failure::Failure;
use crate::finding::{Finding, Level};
use crate::session::Session;
use crate::speech::{Speech, shown};

/// Less room than this is worth a word, and a tenth of it is too little.
const ROOM: u64 = 512 << 20;

/// What a shell knows without a program of that name.
const OF_THE_SHELL: [&str; 36] = [
    ".", "alias", "break", "case", "cd", "command", "continue", "echo", "eval", "exec", "exit",
    "export", "false", "for", "getopts", "hash", "if", "local", "printf", "pwd", "read",
    "readonly", "return", "set", "shift", "source", "test", "time", "times", "trap", "true",
    "type", "ulimit", "umask", "until", "while",
];

/// What is read of a project to see how it might be tested.
const MOST_BYTES: u64 = 256 << 10;
const MOST_NAMES: usize = 1_000;

/// Looks at everything and shows it; an error if something cannot work.
pub(super) fn look(session: &Session, plan: &Plan, speech: Speech) -> Result<(), Failure> {
    let circuit = session.store.peek()?.state.0;
    if circuit.core.phase.opening().is_some() && !plan.wait {
        let seen = session.look(machine::peek)?;
        if matches!(seen.decision.gate, Gate::Deny(_)) {
            // That it may not run at all comes first, and is told in a moment.
            return Ok(());
        }
    }
    let root = &session.located.root;
    let mut findings = Vec::new();
    if let Work::Agent { agent, .. } = &plan.work {
        findings.push(program(*agent, root));
        findings.push(sign_in(*agent));
    }
    findings.extend(model(&plan.work));
    findings.push(writing(plan, root));
    findings.push(room(&[root, &session.located.workspace_dir()]));
    findings.push(limits(session, &circuit)?);
    findings.extend(evidence(plan, root));
    if let Work::Command { .. } = plan.work {
        // Any command may be anything; only what is wrong is worth a word, and that it
        // has no tests is not.
        let tested = plan.evidence.test.is_some();
        findings.retain(|one| one.level > Level::Fine && (tested || one.about != "tests"));
    }
    if !findings.is_empty() {
        show(&findings, speech);
    }
    let broken = findings.iter().find(|one| one.level == Level::Broken);
    match broken {
        None => Ok(()),
        Some(one) => {
            let what = format!("before the first iteration: {}", one.what);
            let failure = Failure::new(exit::MISSING, what);
            let failure = match &one.fix {
                Some(fix) => failure.hint(fix.clone()),
                None => failure,
            };
            Err(failure.hint("`--skip-preflight` starts anyway"))
        }
    }
}

fn show(findings: &[Finding], speech: Speech) {
    #[derive(Serialize)]
    struct Event<'a> {
        event: &'static str,
        findings: &'a [Finding],
    }
    if speech.json {
        speech.json(&Event {
            event: "preflight",
            findings,
        });
    }
    speech.say("before the first iteration");
    findings.iter().for_each(|one| speech.add(&one.line()));
}

/// Is it there, and can it be run?
pub(crate) fn program(agent: &dyn Agent, root: &Path) -> Finding {
    let names = agent.programs();
    let found = names.iter().find_map(|name| find(OsStr::new(name), root));
    match found {
        Some(path) => Finding::fine("agent", format!("{} is {}", agent.title(), shown(&path))),
        None => Finding::broken(
            "agent",
            format!(
                "`{}` was not found or is not executable",
                names.join("` or `")
            ),
            "install it, or put it on PATH",
        ),
    }
}

/// The program of that name, as the system would look for it.
pub(super) fn find(name: &OsStr, root: &Path) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        path.metadata()
            .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
            && access(path.as_path(), Access::EXEC_OK).is_ok()
    };
    if Path::new(name).components().count() > 1 {
        return Some(root.join(name)).filter(is_program);
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| root.join(dir).join(name))
        .find(is_program)
}

/// Is somebody signed in, as far as that can be told without a request?
pub(crate) fn sign_in(agent: &dyn Agent) -> Finding {
    let signs = agent.sign_in();
    let variable = signs
        .variables
        .iter()
        .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    if let Some(name) = variable {
        return Finding::fine("sign-in", format!("{name} is set"));
    }
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let file = home.and_then(|home| {
        let mut files = signs.files.iter().map(|file| home.join(file));
        files.find(|file| file.exists())
    });
    match file {
        Some(file) => Finding::fine("sign-in", format!("{} is there", shown(&file))),
        None => Finding::doubtful(
            "sign-in",
            format!("no sign-in found for {}", agent.title()),
            signs.how,
        ),
    }
}

/// Which model will it be, where that is not left to the agent?
fn model(work: &Work) -> Option<Finding> {
    let Work::Agent { ladder, .. } = work else {
        return None;
    };
    let (first, others) = ladder.split_first()?;
    let then = match others {
        [] => String::new(),
        others => format!(", after it {}", others.join(", ")),
    };
    Some(Finding::fine("model", format!("{first}{then}")))
}

/// May it change anything at all?
fn writing(plan: &Plan, root: &Path) -> Finding {
    if access(root, Access::WRITE_OK).is_err() {
        return Finding::broken(
            "writing",
            format!("{} cannot be written to", shown(root)),
            "work as the user who owns it",
        );
    }
    match &plan.work {
        Work::Agent {
            permissions: Permissions::ReadOnly,
            ..
        } => Finding::doubtful(
            "writing",
            "the agent is read-only, so nothing it does will count as progress",
            "`--permissions edits` lets it edit files",
        ),
        Work::Agent {
            permissions: Permissions::AsConfigured,
            ..
        } => Finding::doubtful(
            "writing",
            "permissions are left to the agent's own settings, and nobody is there to approve an edit: \
             unless they allow edits, each is denied",
            "`--permissions edits` lets it edit files",
        ),
        Work::Agent { .. } | Work::Command { .. } => {
            Finding::fine("writing", "the work tree can be written to")
        }
    }
}

pub(crate) fn room(places: &[&Path]) -> Finding {
    let free = places.iter().filter_map(|place| {
        let room = rustix::fs::statvfs(*place).ok()?;
        Some((room.f_bavail.saturating_mul(room.f_frsize), *place))
    });
    match free.min_by_key(|(bytes, _)| *bytes) {
        Some((bytes, place)) if bytes < ROOM => {
            let what = format!("{} MB left on the disk of {}", bytes >> 20, shown(place));
            let fix = "make room: an agent that cannot write repeats itself";
            if bytes < ROOM / 10 {
                Finding::broken("disk", what, fix)
            } else {
                Finding::doubtful("disk", what, fix)
            }
        }
        Some((bytes, _)) => Finding::fine("disk", format!("{} GB left", bytes >> 30)),
        None => Finding::doubtful(
            "disk",
            "how much room is left cannot be told",
            "look at `df`",
        ),
    }
}

/// Is it already at a limit?
fn limits(session: &Session, circuit: &Circuit) -> Result<Finding, Failure> {
    let now = session.clock.now();
    if let Some(outage) = &circuit.core.outage {
        let left = outage.left_ms(&now);
        if left > 0 {
            return Ok(Finding::doubtful(
                "limits",
                format!(
                    "the agent's service refused work; {} in {}",
                    match outage.guessed {
                        true => "no end time was given; retry",
                        false => "expected to end",
                    },
                    phrase::duration(left)
                ),
                "`--wait` waits for it",
            ));
        }
    }
    let calls = session.look(machine::status)?.decision.calls;
    let told = fusebox_view::answer::calls(&calls);
    Ok(if calls.left == 0 {
        Finding::doubtful("limits", told, "`--wait` waits for a free call")
    } else {
        Finding::fine("limits", told)
    })
}

/// Can the commands that show progress be run?
fn evidence(plan: &Plan, root: &Path) -> Vec<Finding> {
    let plan = &plan.evidence;
    let commands = [("build", &plan.build), ("tests", &plan.test)];
    let mut findings: Vec<Finding> = commands
        .into_iter()
        .filter_map(|(about, command)| {
            let command = command.as_ref()?;
            let word = command.split_whitespace().next().unwrap_or_default();
            // Only a plain first word can be looked up; the shell knows more.
            let plain = word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_./+".contains(c));
            let there =
                !plain || OF_THE_SHELL.contains(&word) || find(OsStr::new(word), root).is_some();
            let what = || format!("command not found: `{word}` (in `{command}`)");
            Some(if !there && word.contains('/') {
                // What belongs to the work tree may be what the agent is to write.
                let fix = "until it can be run, its result is unknown";
                Finding::doubtful(about, what(), fix)
            } else if !there {
                Finding::broken(about, what(), "install it, or correct the command")
            } else {
                Finding::fine(about, format!("`{command}` after each iteration"))
            })
        })
        .collect();
    if plan.test.is_none() {
        let what = if plan.is_empty() {
            "no test command: progress is judged by file changes alone, and completion cannot be verified"
        } else {
            "no test command"
        };
        let fix = match suggested(root).first() {
            Some(found) => format!("{}: `--test '{}'`", found.why, found.command.join(" ")),
            None => "add `--test 'COMMAND'`".into(),
        };
        findings.push(Finding::doubtful("tests", what, fix));
    }
    findings
}

/// The test commands that the project's files suggest. A person decides.
pub(crate) fn suggested(root: &Path) -> Vec<Suggestion> {
    struct Files(RootMark);
    impl Project for Files {
        fn read(&self, path: &str) -> Option<Vec<u8>> {
            self.0.read(Path::new(path), MOST_BYTES)
        }

        fn names(&self, directory: &str) -> Vec<String> {
            let names = self.0.names(Path::new(directory), MOST_NAMES).into_iter();
            names
                .filter_map(|name| name.into_os_string().into_string().ok())
                .collect()
        }
    }
    RootMark::of(root).map_or_else(|_| Vec::new(), |root| test_commands(&Files(root)))
}
