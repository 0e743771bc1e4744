//! The command lines with which the binary starts its own further stages.
//!
//! Fixed places instead of options: the stages are never called by hand, and
//! what has no names cannot be confused with an agent's argument. Everything
//! behind `--` is the command, byte for byte.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use crate::cookie::Cookie;
use crate::step::{FirstSignal, Step, StepInput};

/// First argument of the keeper: `fusebox __keeper …`.
pub const KEEPER_WORD: &str = "__keeper";
/// First argument of the leader: `fusebox __leader …`.
pub const LEADER_WORD: &str = "__leader";

const SEPARATOR: &str = "--";

/// What the keeper is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeeperArgs {
    pub(crate) cookie: Cookie,
    pub(crate) overall: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) first_signal: FirstSignal,
    pub(crate) hold: Option<PathBuf>,
    pub(crate) cwd: PathBuf,
    pub(crate) input: Option<PathBuf>,
    pub(crate) command: Command,
}

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
}

impl KeeperArgs {
    pub(crate) fn of(step: &Step) -> Self {
        Self {
            cookie: step.cookie.clone(),
            overall: step.limits.overall,
            grace: step.limits.grace,
            first_signal: step.first_signal,
            hold: step.hold.as_ref().map(|hold| hold.path().to_owned()),
            cwd: step.cwd.clone(),
            input: match &step.input {
                StepInput::Null => None,
                StepInput::File(path) => Some(path.clone()),
            },
            command: Command {
                program: step.program.clone(),
                args: step.args.clone(),
            },
        }
    }

    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let first_signal = match self.first_signal {
            FirstSignal::Interrupt => "int",
            FirstSignal::Terminate => "term",
        };
        let mut args = vec![
            KEEPER_WORD.into(),
            self.cookie.as_str().into(),
            self.overall.map(millis).unwrap_or_default().into(),
            millis(self.grace).into(),
            first_signal.into(),
            optional(self.hold.as_ref()),
            self.cwd.clone().into(),
            optional(self.input.as_ref()),
        ];
        self.command.append_to(&mut args);
        args
    }

    /// Reads what follows [`KEEPER_WORD`].
    pub(crate) fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        Some(Self {
            cookie: Cookie::parse(args.next()?.to_str()?)?,
            overall: match args.next()?.to_str()? {
                "" => None,
                text => Some(parse_millis(text)?),
            },
            grace: parse_millis(args.next()?.to_str()?)?,
            first_signal: match args.next()?.to_str()? {
                "int" => FirstSignal::Interrupt,
                "term" => FirstSignal::Terminate,
                _ => return None,
            },
            hold: present(args.next()?),
            cwd: args.next()?.into(),
            input: present(args.next()?),
            command: Command::parse(args)?,
        })
    }
}

/// What the leader is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeaderArgs {
    /// The keeper's process id: if the parent is another, the keeper died.
    pub(crate) keeper: i32,
    pub(crate) cgroup: Option<PathBuf>,
    pub(crate) cwd: PathBuf,
    pub(crate) input: Option<PathBuf>,
    pub(crate) command: Command,
}

impl LeaderArgs {
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let mut args = vec![
            LEADER_WORD.into(),
            self.keeper.to_string().into(),
            optional(self.cgroup.as_ref()),
            self.cwd.clone().into(),
            optional(self.input.as_ref()),
        ];
        self.command.append_to(&mut args);
        args
    }

    /// Reads what follows [`LEADER_WORD`].
    pub(crate) fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        Some(Self {
            keeper: args.next()?.to_str()?.parse().ok()?,
            cgroup: present(args.next()?),
            cwd: args.next()?.into(),
            input: present(args.next()?),
            command: Command::parse(args)?,
        })
    }
}

impl Command {
    fn append_to(&self, args: &mut Vec<OsString>) {
        args.push(SEPARATOR.into());
        args.push(self.program.clone());
        args.extend_from_slice(&self.args);
    }

    fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        (args.next()? == SEPARATOR).then_some(())?;
        Some(Self {
            program: args.next()?,
            args: args.collect(),
        })
    }
}

/// No path is empty, so an empty argument can stand for none.
fn optional(path: Option<&PathBuf>) -> OsString {
    path.map(OsString::from).unwrap_or_default()
}

fn present(argument: OsString) -> Option<PathBuf> {
    (argument != OsStr::new("")).then(|| argument.into())
}

fn millis(duration: Duration) -> String {
    duration.as_millis().to_string()
}

fn parse_millis(text: &str) -> Option<Duration> {
    // More than fits is as good as for ever.
    let millis: u128 = text.parse().ok()?;
    Some(Duration::from_millis(
        u64::try_from(millis).unwrap_or(u64::MAX),
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn hostile_command() -> Command {
        Command {
            program: "-x".into(),
            args: vec![
                SEPARATOR.into(),
                "".into(),
                KEEPER_WORD.into(),
                OsString::from_vec(vec![0xff, b'\n', b' ', 0x1b]),
            ],
        }
    }

    #[test]
    fn keeper_args_read_back() {
        let full = KeeperArgs {
            cookie: Cookie::random().unwrap(),
            overall: Some(Duration::from_millis(1234)),
            grace: Duration::ZERO,
            first_signal: FirstSignal::Interrupt,
            hold: Some("/run/a b".into()),
            cwd: "--".into(),
            input: Some(OsString::from_vec(vec![b'/', 0xfe]).into()),
            command: hostile_command(),
        };
        let bare = KeeperArgs {
            overall: None,
            first_signal: FirstSignal::Terminate,
            hold: None,
            input: None,
            ..full.clone()
        };
        for args in [full, bare] {
            assert_eq!(
                KeeperArgs::parse(args.to_args().into_iter().skip(1)),
                Some(args)
            );
        }
    }

    #[test]
    fn leader_args_read_back() {
        let args = LeaderArgs {
            keeper: 77,
            cgroup: None,
            cwd: "/".into(),
            input: None,
            command: hostile_command(),
        };
        assert_eq!(
            LeaderArgs::parse(args.to_args().into_iter().skip(1)),
            Some(args)
        );
    }

    #[test]
    fn args_cut_short_are_refused() {
        let args = KeeperArgs {
            cookie: Cookie::random().unwrap(),
            overall: None,
            grace: Duration::ZERO,
            first_signal: FirstSignal::Terminate,
            hold: None,
            cwd: "/".into(),
            input: None,
            command: Command {
                program: "true".into(),
                args: vec![],
            },
        }
        .to_args();
        for length in 1..args.len() {
            let cut = args[1..length].iter().cloned();
            assert_eq!(KeeperArgs::parse(cut), None, "{length} arguments");
        }
    }
}
