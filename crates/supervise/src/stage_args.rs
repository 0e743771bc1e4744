//! The command lines with which the binary starts its own further stages.
//!
//! Fixed places instead of options: the stages are never called by hand, and
//! what has no names cannot be confused with an agent's argument. Everything
//! behind `--` is the command, byte for byte.

use std::ffi::{OsStr, OsString};
use std::iter;
use std::path::PathBuf;
use std::time::Duration;

use crate::cookie::Cookie;
use crate::sandbox::Walls;
use crate::step::{FirstSignal, Step, StepInput};

/// First argument of the keeper: `fusebox __keeper …`.
pub const KEEPER_WORD: &str = "__keeper";
/// First argument of the leader: `fusebox __leader …`.
pub const LEADER_WORD: &str = "__leader";

const SEPARATOR: &str = "--";

/// What is to be run; both stages are told, the keeper only to pass it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) cwd: PathBuf,
    pub(crate) input: Option<PathBuf>,
    pub(crate) walls: Option<Walls>,
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
}

/// What the keeper is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeeperArgs {
    pub(crate) cookie: Cookie,
    pub(crate) overall: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) first_signal: FirstSignal,
    pub(crate) hold: Option<PathBuf>,
    pub(crate) job: Job,
}

/// What the leader is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeaderArgs {
    /// The keeper's process id: if the parent is another, the keeper died.
    pub(crate) keeper: i32,
    pub(crate) cgroup: Option<PathBuf>,
    pub(crate) job: Job,
}

impl Job {
    fn of(step: &Step) -> Self {
        Self {
            cwd: step.cwd.clone(),
            input: match &step.input {
                StepInput::Null => None,
                StepInput::File(path) => Some(path.clone()),
            },
            walls: step.walls.clone(),
            program: step.program.clone(),
            args: step.args.clone(),
        }
    }

    /// Everything a stage is told: what is its own, then the job.
    fn behind<const N: usize>(&self, own: [OsString; N]) -> Vec<OsString> {
        let mut args = Vec::from(own);
        args.extend([self.cwd.clone().into(), optional(self.input.as_ref())]);
        match &self.walls {
            Some(walls) => args.extend(walls.to_args()),
            None => args.push(OsString::new()),
        }
        args.extend([SEPARATOR.into(), self.program.clone()]);
        args.extend_from_slice(&self.args);
        args
    }

    fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        let cwd = args.next()?.into();
        let input = present(args.next()?);
        let count = args.next()?;
        let walls = if count.is_empty() {
            None
        } else {
            Some(Walls::parse(&mut iter::once(count).chain(&mut args))?)
        };
        (args.next()? == SEPARATOR).then_some(())?;
        Some(Self {
            cwd,
            input,
            walls,
            program: args.next()?,
            args: args.collect(),
        })
    }
}

impl KeeperArgs {
    pub(crate) fn of(step: &Step) -> Self {
        Self {
            cookie: step.cookie.clone(),
            overall: step.limits.overall,
            grace: step.limits.grace,
            first_signal: step.first_signal,
            hold: step.hold.as_ref().map(|hold| hold.path().to_owned()),
            job: Job::of(step),
        }
    }

    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let first_signal = match self.first_signal {
            FirstSignal::Interrupt => "int",
            FirstSignal::Terminate => "term",
        };
        self.job.behind([
            KEEPER_WORD.into(),
            self.cookie.as_str().into(),
            self.overall.map(millis).unwrap_or_default().into(),
            millis(self.grace).into(),
            first_signal.into(),
            optional(self.hold.as_ref()),
        ])
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
            job: Job::parse(args)?,
        })
    }
}

impl LeaderArgs {
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        self.job.behind([
            LEADER_WORD.into(),
            self.keeper.to_string().into(),
            optional(self.cgroup.as_ref()),
        ])
    }

    /// Reads what follows [`LEADER_WORD`].
    pub(crate) fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        Some(Self {
            keeper: args.next()?.to_str()?.parse().ok()?,
            cgroup: present(args.next()?),
            job: Job::parse(args)?,
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

/// A door for the fuzzer: what is understood of words is understood of what is made of it, and
/// no beginning of them that ends before the command is understood.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_words(words: &[OsString]) {
    let given = || words.iter().cloned();
    if let Some(args) = KeeperArgs::parse(given()) {
        assert_eq!(
            KeeperArgs::parse(args.to_args().into_iter().skip(1)),
            Some(args.clone())
        );
        let before = words.len() - args.job.args.len() - 1;
        assert_eq!(KeeperArgs::parse(given().take(before)), None);
    }
    if let Some(args) = LeaderArgs::parse(given()) {
        assert_eq!(
            LeaderArgs::parse(args.to_args().into_iter().skip(1)),
            Some(args.clone())
        );
        let before = words.len() - args.job.args.len() - 1;
        assert_eq!(LeaderArgs::parse(given().take(before)), None);
    }
    let mut rest = given();
    if let Some(walls) = Walls::parse(&mut rest) {
        let mut again = walls.to_args().into_iter().chain(rest.clone());
        assert_eq!(Walls::parse(&mut again), Some(walls));
        assert!(again.eq(rest));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    /// Everything that could be confused with something else.
    fn hostile_job() -> Job {
        Job {
            cwd: SEPARATOR.into(),
            input: Some(OsString::from_vec(vec![b'/', 0xfe]).into()),
            walls: Some(Walls {
                kept: vec![SEPARATOR.into()],
                ..Walls::default()
            }),
            program: "-x".into(),
            args: vec![
                SEPARATOR.into(),
                "".into(),
                KEEPER_WORD.into(),
                OsString::from_vec(vec![0xff, b'\n', b' ', 0x1b]),
            ],
        }
    }

    fn bare_keeper() -> KeeperArgs {
        let step = Step::new("true", "/", Cookie::random().unwrap());
        KeeperArgs::of(&step)
    }

    #[test]
    fn keeper_args_read_back() {
        let full = KeeperArgs {
            overall: Some(Duration::from_millis(1234)),
            grace: Duration::ZERO,
            first_signal: FirstSignal::Interrupt,
            hold: Some("/run/a b".into()),
            job: hostile_job(),
            ..bare_keeper()
        };
        for args in [full, bare_keeper()] {
            let words = args.to_args().into_iter().skip(1);
            assert_eq!(KeeperArgs::parse(words), Some(args));
        }
    }

    #[test]
    fn leader_args_read_back() {
        for cgroup in [None, Some("/sys/fs/cgroup/x".into())] {
            let args = LeaderArgs {
                keeper: 77,
                cgroup,
                job: hostile_job(),
            };
            let words = args.to_args().into_iter().skip(1);
            assert_eq!(LeaderArgs::parse(words), Some(args));
        }
    }

    #[test]
    fn args_cut_short_are_refused() {
        let args = bare_keeper().to_args();
        for length in 1..args.len() {
            let cut = args[1..length].iter().cloned();
            assert_eq!(KeeperArgs::parse(cut), None, "{length} arguments");
        }
    }
}
